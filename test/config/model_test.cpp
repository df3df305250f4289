// SPDX-License-Identifier: Apache-2.0
// [model], [budget], [ladder] and [[resolver]].
#include "test/config/support.h"

namespace sluice::config {
namespace {

const std::string anthropic = "[model]\nprovider = \"anthropic\"\nmodel = \"m-1\"\n";

TEST(Model, AServiceIsDescribedByItsNameAndTheModel) {
  const model::Config config = parsed(with(anthropic));
  ASSERT_EQ(config.model.endpoints.size(), 1u);
  const model::EndpointConfig& e = config.model.endpoints.front();
  EXPECT_EQ(config.model.use, "default");
  EXPECT_EQ(e.dialect, "messages");
  EXPECT_EQ(e.base_url, "https://api.anthropic.com");
  EXPECT_EQ(e.auth, "x-api-key");
  EXPECT_EQ(e.key_env, "ANTHROPIC_API_KEY");
  EXPECT_TRUE(e.can_force_tool);
  EXPECT_EQ(e.price_input, -1) << "no price is made up";
}

TEST(Model, WithoutASectionThereIsNone) {
  EXPECT_TRUE(parsed(smallest).model.use.empty());
  EXPECT_TRUE(parsed(with("[model]\nprovider = \"none\"\n")).model.use.empty());
}

TEST(Model, SeveralEndpointsAreNamedAndOneIsUsed) {
  const model::Config config = parsed(with("[model]\nuse = \"lab\"\n[model.endpoint.lab]\nprovider = \"vllm\"\nmodel = \"q\"\n"
                                           "base_url = \"http://10.0.0.2:8000\"\n[model.endpoint.far]\nprovider = \"openai\"\nmodel = \"g\"\n"
                                           "price = { input = 1.25, output = 10, cache_read = 0.125 }\n"));
  EXPECT_EQ(config.model.use, "lab");
  ASSERT_EQ(config.model.endpoints.size(), 2u);
  const bool lab_first = config.model.endpoints.front().name == "lab";
  const model::EndpointConfig &lab = config.model.endpoints[lab_first ? 0 : 1], &far = config.model.endpoints[lab_first ? 1 : 0];
  EXPECT_EQ(lab.auth, "none");
  EXPECT_EQ(lab.max_tokens_field, "max_tokens");
  EXPECT_EQ(far.max_tokens_field, "max_completion_tokens");
  EXPECT_EQ(far.price_input, 1'250'000);
  EXPECT_EQ(far.price_cache_read, 125'000);
  EXPECT_EQ(far.price_cache_write, 1'250'000) << "not said: as dear as other input";
}

TEST(Model, AKeyMakesALocalServerAskForIt) {
  const model::Config config = parsed(with("[model]\nprovider = \"llamacpp\"\nmodel = \"q\"\nkey_env = \"LLAMA_KEY\"\n"));
  EXPECT_EQ(config.model.endpoints.front().auth, "bearer");
  EXPECT_EQ(config.model.endpoints.front().key_env, "LLAMA_KEY");
}

TEST(Model, WhatCannotWorkIsAnErrorWithItsLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"[model]\nprovider = \"antropic\"\nmodel = \"m\"\n", "sluice.toml:10: "},
      {"[model]\nprovider = \"anthropic\"\n", "lacks the key 'model'"},
      {"[model]\nprovider = \"vllm\"\nmodel = \"m\"\n", "base_url is missing"},
      {"[model]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"http://api.example.com\"\n", "would cross the network in clear"},
      {"[model]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"https://k:s3cr3t@api.example.com\"\n", "carries a credential"},
      {"[model]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1.example.com\"\n", "would cross the network in clear"},
      {"[model]\nprovider = \"openai\"\nmodel = \"m\"\nkey_env = \"sk-ant-abc123\"\n", "is no name of an environment variable"},
      {"[[resolver]]\ncommand = []\n", "is empty"},
      {"[model]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"ftp://x\"\n", "is not an http or https address"},
      {anthropic + "key_file = \"k\"\nkey_env = \"K\"\n", "not from both"},
      {anthropic + "max_output_tokens = 200000\n", "leaves nothing of the 200000 context_tokens"},
      {anthropic + "send = [\"../x\"]\n", "'..' component"},
      {anthropic + "use = \"other\"\n", "there is no endpoint 'other'"},
      {anthropic + "temperature = 1\n", "temperature"},
      {"[model]\n[model.endpoint.a]\nprovider = \"ollama\"\nmodel = \"q\"\n[model.endpoint.b]\nprovider = \"ollama\"\nmodel = \"r\"\n", "which of a, b answers"},
      {"[model]\n[model.endpoint.none]\nprovider = \"ollama\"\nmodel = \"q\"\n", "has a meaning of its own"},
      {anthropic + "price = { input = 3 }\n", "lacks the key 'output'"},
      {anthropic + "[budget]\nnight = 5.0\n", "needs the price of endpoint 'default'"},
      {anthropic + "price = { input = 3, output = 15 }\n[budget]\nrun = 2.0\nnight = 1.0\n", "is below the cap of one run"},
  };
  for (const auto& [text, expected] : cases) EXPECT_NE(error_of(with(text)).find(expected), std::string::npos) << text << "-> " << error_of(with(text));
  EXPECT_EQ(error_of(with("[model]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"https://k:s3cr3t@api.example.com\"\n")).find("s3cr3t"), std::string::npos);
}

TEST(Model, CapsAreMoneyAndTokens) {
  const model::Config config = parsed(with(anthropic + "price = { input = 3, output = 15 }\n[budget]\ncurrency = \"EUR\"\ncall = 0.5\nnight = 20\nrun_tokens = 300000\n"));
  EXPECT_EQ(config.model.budget.call.money, 500'000);
  EXPECT_EQ(config.model.budget.night.money, 20'000'000);
  EXPECT_EQ(config.model.budget.run.tokens, 300'000);
  EXPECT_EQ(config.model.budget.fork.money, 0);
  EXPECT_EQ(config.model.budget.currency, "EUR");
}

TEST(Ladder, RungsAndSingleRulesHaveModes) {
  const model::Config config = parsed(with("[ladder]\ncandidate = \"off\"\nmodel = \"land\"\nrules = { B2 = \"propose\" }\n"
                                           "[[resolver]]\ncommand = [\"/usr/bin/mergiraf\", \"merge\", \"%O\", \"%A\", \"%B\"]\nglobs = [\"**/*.py\"]\n"));
  EXPECT_EQ(config.ladder.candidate, model::RungMode::off);
  EXPECT_EQ(config.ladder.external, model::RungMode::propose);
  EXPECT_EQ(config.ladder.model, model::RungMode::land);
  EXPECT_EQ(config.ladder.rules.at("B2"), model::RungMode::propose);
  ASSERT_EQ(config.ladder.resolvers.size(), 1u);
  EXPECT_EQ(config.ladder.resolvers.front().name, "mergiraf");
}

TEST(Ladder, WhatCannotWorkIsAnError) {
  EXPECT_NE(error_of(with("[ladder]\nmodel = \"yes\"\n")).find("propose"), std::string::npos);
  EXPECT_NE(error_of(with("[ladder]\nrules = { B2 = \"maybe\" }\n")).find("'maybe' is not off, propose or land (rule B2)"), std::string::npos);
  EXPECT_NE(error_of(with("[[resolver]]\ncommand = [\"m\"]\n")).find("writes its answer over %A"), std::string::npos);
  EXPECT_NE(error_of(with("[[resolver]]\nname = \"x\"\n")).find("lacks the key 'command'"), std::string::npos);
  EXPECT_NE(error_of(with("[ladder]\nland_floor = 1.5\n")).find("at most 1"), std::string::npos);
}

TEST(Ladder, AllOfItIsExplained) {
  const std::string text = explain(parsed(with(anthropic + "never_send = [\"secret/**\"]\n[ladder]\nmodel = \"land\"\n")));
  EXPECT_NE(text.find("m-1 at https://api.anthropic.com (anthropic, messages), land"), std::string::npos) << text;
  EXPECT_NE(text.find("from $ANTHROPIC_API_KEY"), std::string::npos);
  EXPECT_NE(text.find("secret/**"), std::string::npos);
}

}  // namespace
}  // namespace sluice::config
