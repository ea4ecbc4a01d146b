// The completion scripts, run in their shells.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "cli/support/process.h"
#include "tools/folder.h"

namespace {

namespace fs = std::filesystem;

// A temporary folder with the scripts and with files that they can offer.
class Shells {
 public:
  Shells() {
    for (const std::string shell : {"bash", "zsh", "fish"}) {
      const Outcome script = run_rlctl({"completion", shell});
      REQUIRE(script.exit == 0);
      folder_.write(shell, script.out);
    }
    for (const char* name : {"mine.lua", "edge.json", "run.jsonl"}) folder_.write(name, "");
    fs::create_directory(folder_ / "folder");
  }
  Shells(const Shells&) = delete;
  Shells& operator=(const Shells&) = delete;

  // What is offered for the last of `words`, a word a line.
  std::string bash(const std::string& words) const {
    const std::string script = "cd " + folder_.path() + "; source ./bash; COMP_WORDS=(" + words +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rlctl; "
                               "printf '%s\\n' \"${COMPREPLY[@]}\"";
    return output_of("bash", {"--norc", "--noprofile", "-c", script});
  }
  // What is offered at the end of `line`, a word a line, its description behind a tab.
  std::string fish(const std::string& line) const {
    return output_of("fish",
                     {"--no-config", "-c",
                      "cd " + folder_.path() + "; source ./fish; complete -C '" + line + "'"});
  }
  // The same for zsh, which completes only on a terminal: a shell on its own terminal writes its
  // completions to a file.
  std::string zsh(const std::string& line) const {
    const std::string script = "cd " + folder_.path() + R"(
      rm -f ready.txt done.txt found.txt
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1=; stty -echo; autoload -U compinit; compinit -u -D; source ./zsh'
      zpty -w shell 'compadd() { local -a found; builtin compadd -O found "$@"
                                 print -rl -- $found >>found.txt; builtin compadd "$@" }'
      zpty -w shell 'say-done() { : >done.txt; }; zle -N say-done; bindkey "^G" say-done'
      zpty -w shell ': >ready.txt'
      await() { until [[ -e $1 ]]; do zpty -r -t shell ignored; sleep 0.02; done }
      await ready.txt
      zpty -w -n shell ")" + line +
                               R"("$'\t\a'
      await done.txt
      cat found.txt
    )";
    return output_of("zsh", {"-f", "-c", script});
  }

 private:
  static std::string output_of(const std::string& shell, const Arguments& arguments) {
    const Outcome outcome = run_program(shell, arguments, "", {"HOME=/nonexistent"});
    CHECK(outcome.exit == 0);
    CHECK(outcome.err == "");
    return "\n" + outcome.out;
  }

  rlctl::test::Folder folder_;
};

// A line of `found` is, or begins with, the word.
bool offers(const std::string& found, const std::string& word) {
  return contains(found, "\n" + word + "\n") || contains(found, "\n" + word + "\t");
}

}  // namespace

TEST_CASE("bash completes verbs, options and their values") {
  const Shells shells;
  CHECK(shells.bash("rlctl sim") == "\nsimulate\n");
  CHECK(offers(shells.bash("rlctl ''"), "completion"));
  CHECK(shells.bash("rlctl simulate bot --clo") == "\n--clock\n");
  CHECK(shells.bash("rlctl simulate bot --clock ''") == "\nwall\nvirtual\n");
  CHECK(shells.bash("rlctl simulate bot --clock = v") == "\nvirtual\n");
  CHECK(shells.bash("rlctl simulate bot --clock =") == "\nwall\nvirtual\n");
  CHECK(shells.bash("rlctl simulate bou") == "\nboundary\n");
  CHECK(shells.bash("rlctl completion ''") == "\nbash\nzsh\nfish\n");
  CHECK(shells.bash("rlctl bench --rounds ''") == "\n\n");
  CHECK(shells.bash("rlctl --ver") == "\n--version\n");
}

TEST_CASE("bash completes algorithms, scripts, scenarios, logs and folders") {
  const Shells shells;
  CHECK(shells.bash("rlctl bench --algo sliding-") == "\nsliding-counter\nsliding-list\n");
  CHECK(shells.bash("rlctl bench --algo mi") == "\nmine.lua\n");
  CHECK(shells.bash("rlctl explore get-then") == "\nget-then-incr\n");
  CHECK(shells.bash("rlctl run ''") == "\nfolder\nedge.json\n");
  CHECK(shells.bash("rlctl verify ru") == "\nrun.jsonl\n");
  CHECK(shells.bash("rlctl bench --lua-dir ''") == "\nfolder\n");
}

TEST_CASE("fish completes verbs, options, values, algorithms and files") {
  const Shells shells;
  CHECK(shells.fish("rlctl simu").starts_with("\nsimulate\tPlays traffic that breaks limiters"));
  CHECK(offers(shells.fish("rlctl simulate bot --cl"), "--clock"));
  const std::string clocks = shells.fish("rlctl simulate bot --clock ");
  CHECK(offers(clocks, "wall"));
  CHECK(offers(clocks, "virtual"));
  CHECK(offers(shells.fish("rlctl simulate bou"), "boundary"));
  CHECK(offers(shells.fish("rlctl hit block --co"), "--cost"));
  CHECK(shells.fish("rlctl hit block --fo") == "\n");  // a key, not the verb
  CHECK(offers(shells.fish("rlctl bench --algo sl"), "sliding-list"));
  CHECK(offers(shells.fish("rlctl bench --algo mi"), "mine.lua"));
  CHECK(offers(shells.fish("rlctl run ed"), "edge.json"));
  CHECK(offers(shells.fish("rlctl verify ru"), "run.jsonl"));
  CHECK(offers(shells.fish("rlctl bench --lua-dir fo"), "folder/"));
}

TEST_CASE("zsh completes verbs, options, values, algorithms and files") {
  const Shells shells;
  CHECK(offers(shells.zsh("rlctl simu"), "simulate"));
  CHECK(offers(shells.zsh("rlctl simulate bot --cloc"), "--clock"));
  const std::string clocks = shells.zsh("rlctl simulate bot --clock ");
  CHECK(offers(clocks, "wall"));
  CHECK(offers(clocks, "virtual"));
  CHECK(offers(shells.zsh("rlctl simulate bou"), "boundary"));
  CHECK(offers(shells.zsh("rlctl bench --algo sliding-"), "sliding-list"));
  CHECK(offers(shells.zsh("rlctl bench --algo mi"), "mine.lua"));
  CHECK(offers(shells.zsh("rlctl run ed"), "edge.json"));
  CHECK(offers(shells.zsh("rlctl verify ru"), "run.jsonl"));
}
