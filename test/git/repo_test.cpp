// SPDX-License-Identifier: Apache-2.0
// The store: what it refuses to be, refs, written trees, adoption from a scratch repository, export, regions.
#include <filesystem>
#include <fstream>

#include "core/file.h"
#include "git/isolation.h"
#include "git/objects.h"
#include "test/git/support.h"

namespace sluice::git::testing {
namespace {

namespace fs = std::filesystem;

struct Store {
  Store() : dir(must(core::TempDir::create("store-"))), repo(must(Repo::open(dir.path() + "/repo.git"))) {}
  Oid blob(const std::string& text) { return must(repo.write_blob(text)); }
  Oid commit(const Oid& tree, std::vector<Oid> parents = {}) {
    const model::Person me{"a", "b", 1, 0};
    return must(repo.write_commit({tree, std::move(parents), me, me, "m\n"}));
  }
  core::TempDir dir;
  Repo repo;
};

TEST(Repo, RefusesAWorkTreeAndOtherAttributes) {
  const History h("repo up\nput f '1\\n'\ncommit A a");
  EXPECT_EQ(Repo::open(h.path("up")).error().kind, ErrorKind::invalid);
  Store store;
  std::ofstream(store.repo.git_dir() + "/info/attributes", std::ios::app) << "* merge=union\n";
  EXPECT_EQ(Repo::open(store.repo.git_dir()).error().kind, ErrorKind::invalid);
}

TEST(Repo, SetsRefsByComparison) {
  Store store;
  const Oid tree = must(store.repo.write_tree({}, {{"f", TreeEntry{0100644, store.blob("1")}}}));
  const Oid one = store.commit(tree), two = store.commit(tree, {one});
  const std::string name = "refs/sluice/trunk";
  EXPECT_FALSE(must(store.repo.ref(name)).has_value());
  EXPECT_EQ(store.repo.set_ref(name, two, one).error().kind, ErrorKind::conflict) << "it does not exist yet";
  must(store.repo.set_ref(name, one, Oid{}));
  EXPECT_EQ(store.repo.set_ref(name, two, Oid{}).error().kind, ErrorKind::conflict) << "it exists already";
  EXPECT_EQ(store.repo.set_ref(name, two, two).error().kind, ErrorKind::conflict);
  must(store.repo.set_ref(name, two, one));
  must(store.repo.set_ref("refs/sluice/other", one, std::nullopt));
  EXPECT_EQ(must(store.repo.refs("refs/sluice/")).size(), 2u);
  EXPECT_EQ(must(store.repo.ref(name)), two);
  EXPECT_EQ(store.repo.set_ref(name, Oid(40, '7'), std::nullopt).error().kind, ErrorKind::not_found);
  EXPECT_FALSE(store.repo.set_ref("refs/../x", one, std::nullopt).ok());
  must(store.repo.delete_ref(name));
  must(store.repo.delete_ref(name));
  EXPECT_FALSE(must(store.repo.ref(name)).has_value());
}

TEST(Repo, RemovesWhatAKilledProcessLeft) {
  Store store;
  const Oid tree = must(store.repo.write_tree({}, {{"f", TreeEntry{0100644, store.blob("1")}}}));
  const Oid one = store.commit(tree);
  must(store.repo.set_ref("refs/sluice/units/b-1/1", one, std::nullopt));
  const std::string dir = store.repo.git_dir();
  for (const char* left : {"/refs/sluice/units/b-1/1.lock", "/packed-refs.lock", "/objects/pack/tmp_pack_x", "/incoming-9-x"})
    std::ofstream(dir + left) << "";
  EXPECT_FALSE(store.repo.set_ref("refs/sluice/units/b-1/1", one, std::nullopt).ok()) << "nobody holds this lock, and it stops all";
  must(store.repo.remove_left_over());
  must(store.repo.set_ref("refs/sluice/units/b-1/1", one, std::nullopt));
  EXPECT_FALSE(fs::exists(dir + "/incoming-9-x"));
  EXPECT_FALSE(fs::exists(dir + "/objects/pack/tmp_pack_x"));
  EXPECT_TRUE(store.repo.reader().has(one));
}

TEST(Repo, IsCreatedWholeOrNotAtAll) {
  const auto dir = must(core::TempDir::create("store"));
  // 4,194,305 is above the largest pid of Linux: a creation that was killed.
  must(core::make_directories(dir.path() + "/sluice-new-4194305-x/repo.git/objects"));
  must(core::make_directories(dir.path() + "/repo.git"));
  must(Repo::open(dir.path() + "/repo.git"));
  EXPECT_FALSE(fs::exists(dir.path() + "/sluice-new-4194305-x"));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 1) << "only the repository is there";
}

TEST(WriteTree, GivesTheTreesThatGitGives) {
  const History h("repo up\nput d/a '1\\n'\nput d.x '1\\n'\nput e/f/g '1\\n'\nput x '1\\n'\ncommit A a\n"
                  "drop e\nput d/b '2\\n'\ndrop x\nput x/y '2\\n'\ncommit C c");
  auto repo = must(Repo::scratch_over({h.path("up")}));
  const TreeEntry two{0100644, must(repo.write_blob("2\n"))};
  EXPECT_EQ(must(repo.write_tree(h.tree("A"), {{"e/f/g", std::nullopt}, {"d/b", two}, {"x", std::nullopt}, {"x/y", two}})),
            h.tree("C"));
  EXPECT_EQ(must(repo.write_tree(h.tree("A"), {{"absent/path", std::nullopt}})), h.tree("A"));
  EXPECT_EQ(must(repo.write_tree({}, {})), model::empty_tree);
  EXPECT_EQ(must(repo.write_tree(h.tree("A"), {{"d/a", std::nullopt}, {"d.x", std::nullopt}, {"e/f/g", std::nullopt}, {"x", std::nullopt}})),
            model::empty_tree);
  for (const char* path : {"", "/a", "a//b", "../a", "a/..", ".git/config", "a/.GIT/x", "./a", "a/"})
    EXPECT_EQ(repo.write_tree(h.tree("A"), {{path, two}}).error().kind, ErrorKind::invalid) << path;
  EXPECT_FALSE(repo.write_tree({}, {{"a", two}, {"a/b", two}}).ok());
}

TEST(Adopt, CopiesWhatTheStoreLacks) {
  Store store;
  const Oid base_tree = must(store.repo.write_tree({}, {{"f", TreeEntry{0100644, store.blob("1\n")}}}));
  const Oid base = store.commit(base_tree);
  auto scratch = must(store.repo.scratch());
  const Oid blob = must(scratch.write_blob("new\n"));
  const Oid tree = must(scratch.write_tree(base_tree, {{"d/new", TreeEntry{0100644, blob}}}));
  const model::Person me{"a", "b", 1, 0};
  const Oid first = must(scratch.write_commit({tree, {base}, me, me, "one\n"}));
  const Oid second = must(scratch.write_commit({tree, {first}, me, me, "two\n"}));
  EXPECT_FALSE(store.repo.reader().has(blob));
  must(store.repo.adopt_objects(scratch, {second}));
  const auto fresh = must(Reader::open(store.repo.git_dir()));
  EXPECT_EQ(must(fresh.file(must(fresh.commit(second)).tree, "d/new")), "new\n");
  EXPECT_TRUE(fresh.has(first));
  const std::string scratch_dir = scratch.git_dir();
  { const Repo gone = std::move(scratch); }
  EXPECT_FALSE(fs::exists(scratch_dir));
}

TEST(Export, WritesTheBytesAsStored) {
  const History h("repo up\nput .gitattributes '* text=auto eol=crlf\\n*.x filter=evil\\n'\nput a/b 'x\\n'\nput run.x 'y\\n'\nrunnable run.x\n"
                  "symlink l a/b\ngitlink sub 1111111111111111111111111111111111111111\nput $'caf\\xe9' 'z\\n'\ncommit A a");
  const auto repo = must(Repo::scratch_over({h.path("up")}));
  const auto dir = must(core::TempDir::create("export-"));
  const std::string out = dir.path() + "/src";
  EXPECT_TRUE(must(repo.export_tree(h.tree("A"), out, {})).empty());
  EXPECT_EQ(must(core::read_file(out + "/a/b")), "x\n");
  EXPECT_EQ(must(core::read_file(out + "/caf\xe9")), "z\n");
  EXPECT_EQ(fs::status(out + "/run.x").permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
  EXPECT_EQ(fs::status(out + "/a/b").permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(fs::read_symlink(out + "/l"), "a/b");
  EXPECT_TRUE(fs::is_directory(out + "/sub"));
  EXPECT_FALSE(fs::exists(out + "/.git"));
  EXPECT_EQ(repo.export_tree(h.tree("A"), out, {}).error().kind, ErrorKind::invalid) << "not empty";
}

TEST(Export, RefusesNamesThatLeadOutOfTheDirectory) {
  Store store;
  const auto objects = must(Objects::open(store.repo.git_dir()));
  const Oid blob = store.blob("x\n");
  const auto tree_with = [&](const std::string& name) {
    git_oid id;
    git_oid_fromstr(&id, blob.c_str());
    std::string bytes = "100644 " + name;
    bytes += '\0';
    bytes.append(reinterpret_cast<const char*>(id.id), 20);
    return must(objects.write(ObjectType::tree, bytes));
  };
  const auto dir = must(core::TempDir::create("export-"));
  int n = 0;
  for (const char* name : {"..", ".", ".git", ".GiT", "/etc/x", "a/b", "../x"}) {
    const std::string out = dir.path() + "/" + std::to_string(n++);
    EXPECT_EQ(store.repo.export_tree(tree_with(name), out, {}).error().kind, ErrorKind::denied) << name;
    EXPECT_TRUE(fs::is_empty(out)) << name;
  }
  // The same name as a link and as a directory: the link must not be followed.
  const std::string outside = dir.path() + "/outside";
  fs::create_directory(outside);
  const Oid target = store.blob(outside);
  const Oid inner = must(store.repo.write_tree({}, {{"planted", TreeEntry{0100644, blob}}}));
  std::string twice;
  for (const auto& [mode, oid] : {std::pair("120000", target), std::pair("40000", inner)}) {
    git_oid id;
    git_oid_fromstr(&id, oid.c_str());
    twice += std::string(mode) + " l";
    twice += '\0';
    twice.append(reinterpret_cast<const char*>(id.id), 20);
  }
  EXPECT_FALSE(store.repo.export_tree(must(objects.write(ObjectType::tree, twice)), dir.path() + "/twice", {}).ok());
  EXPECT_TRUE(fs::is_empty(outside));
}

TEST(Export, SkipsWhatPolicyLetsBeMissing) {
  Store store;
  const Oid tree = must(store.repo.write_tree({}, {{"big.pdf", TreeEntry{0100644, Oid(40, '7')}},
                                                   {"f", TreeEntry{0100644, store.blob("1\n")}}}));
  const auto dir = must(core::TempDir::create("export-"));
  const auto failed = store.repo.export_tree(tree, dir.path() + "/a", {});
  EXPECT_EQ(failed.error().kind, ErrorKind::not_found);
  EXPECT_NE(failed.error().message.find("big.pdf"), std::string::npos);
  auto drop = path_config("*.pdf");
  drop.missing = model::MissingSay::drop;
  const auto dropped = must(store.repo.export_tree(tree, dir.path() + "/b", {drop}));
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].why, "missing");
  EXPECT_EQ(must(core::read_file(dir.path() + "/b/f")), "1\n");
}

TEST(Regions, AreCutAndFilledAgain) {
  const std::string m31(31, '<'), b31(31, '|'), t31(31, '='), e31(31, '>');
  for (const std::string eol : {"\n", "\r\n"}) {
    const std::string text = "a" + eol + m31 + " F" + eol + "ours" + eol + b31 + " B" + eol + "<<<<<<< kept" + eol + t31 + eol +
                             "theirs" + eol + e31 + " U" + eol + "z" + eol + m31 + " F" + eol + b31 + " B" + eol + t31 + eol +
                             "added" + eol + e31 + " U" + eol + "end";
    const auto cut = must(cut_regions("f", text));
    ASSERT_EQ(cut.regions.size(), 2u);
    EXPECT_EQ(cut.regions[0].ours, "ours" + eol);
    EXPECT_EQ(cut.regions[0].base, "<<<<<<< kept" + eol);
    EXPECT_EQ(cut.regions[0].theirs, "theirs" + eol);
    EXPECT_EQ(cut.regions[0].first_line, 2u);
    EXPECT_EQ(cut.regions[0].last_line, 8u);
    EXPECT_EQ(cut.regions[0].id.size(), 12u);
    EXPECT_NE(cut.regions[0].id, cut.regions[1].id);
    EXPECT_EQ(cut.regions[1].ours, "");
    EXPECT_EQ(cut.text.size(), 3u);
    EXPECT_EQ(fill_regions(cut, {"1" + eol, ""}), "a" + eol + "1" + eol + "z" + eol + "end");
  }
  EXPECT_EQ(must(cut_regions("f", "")).text.size(), 1u);
  EXPECT_EQ(must(cut_regions("f", "no conflict")).text[0], "no conflict");
  for (const std::string& bad : {m31 + " F\n", e31 + " U\n", m31 + " F\n" + t31 + "\n", m31 + " F\n" + m31 + " F\n"})
    EXPECT_EQ(cut_regions("f", bad).error().kind, ErrorKind::invalid);
  EXPECT_EQ(must(cut_regions("f", std::string(33, '<') + " inner\n" + std::string(40, '=') + "\n")).regions.size(), 0u);
}

TEST(MergeText, SaysWhatGitMergeFileSays) {
  const History h("repo up\nbase40 base\ncp base ours\ncp base theirs\nline ours 3 x\nline theirs 30 y\nline ours 20 o\nline theirs 20 t\n"
                  "commit A a");
  const auto repo = must(Repo::scratch_over({h.path("up")}));
  const auto text = [&](const char* path) { return must(repo.reader().file(h.tree("A"), path)).value(); };
  bool clean = true;
  const std::string merged = must(repo.merge_text(text("base"), text("ours"), text("theirs"), clean));
  EXPECT_FALSE(clean);
  History also("repo up\nput f '1\\n'\ncommit A a");
  const std::string up = h.path("up");
  const std::string by_git = also.run("git merge-file -p --diff3 --marker-size=31 -L ours -L base -L theirs " + up + "/ours " + up +
                                      "/base " + up + "/theirs || true");
  EXPECT_EQ(merged, by_git);
  EXPECT_EQ(must(repo.merge_text(text("base"), text("base"), text("theirs"), clean)), text("theirs"));
  EXPECT_TRUE(clean);
}

}  // namespace
}  // namespace sluice::git::testing
