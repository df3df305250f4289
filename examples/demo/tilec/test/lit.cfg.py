import lit.formats

config.name = "TILEC"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".tile"]
config.test_source_root = config.tilec_source + "/test"
config.test_exec_root = config.tilec_build + "/test"
config.substitutions.append(("%tile-opt", config.tilec_build + "/tile-opt"))
config.substitutions.append(("%FileCheck", config.filecheck))
