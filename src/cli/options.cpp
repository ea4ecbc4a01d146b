#include "cli/options.h"

#include <CLI/CLI.hpp>

namespace rlctl {

static_assert(Options::kAnyNumber == CLI::detail::expected_max_vector_size);

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Option Option::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Option Options::add_option(const std::string& name, std::string& value, const std::string& help) {
  return Option(app_.add_option(name, value, help));
}

Option Options::add_option(const std::string& name, std::vector<std::string>& values,
                           const std::string& help) {
  return Option(app_.add_option(name, values, help));
}

Option Options::add_flag(const std::string& name, bool& value, const std::string& help) {
  return Option(app_.add_flag(name, value, help));
}

}  // namespace rlctl
