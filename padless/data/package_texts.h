#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "padless/core/export.h"
#include "padless/data/package_list.h"

namespace padless {

/// The description of one source package and what is known of it.
struct PackageText {
  std::string section;
  std::string source;
  double installed_kib = 0;             ///< of the package whose description it is
  std::vector<std::string> paragraphs;  ///< the short description first

  /// The paragraphs, one a line.
  std::string text() const;
};

/// Collects package lists and makes one text a source package of them. All translations are added
/// before the first package. What is not well-formed (no fields, no UTF-8, no size) is passed over.
class PADLESS_API PackageTexts {
 public:
  void add_translation(const Stanza& stanza);
  /// Of packages with one name the first is taken.
  void add_package(const Stanza& stanza);

  std::size_t package_count() const { return seen_.size(); }

  /// One text for each source package whose packages agree on one of the sections in use; from the
  /// package of the source's own name, else the one that says most. Paragraphs that four sources or
  /// more share, and those that only say what kind of package it is, are left out; so are texts of
  /// fewer than 20 words, texts that are there already, and sections of fewer than min_section
  /// texts. In the order of the sources' names.
  std::vector<PackageText> choose(std::size_t min_section = 60) const;

 private:
  struct Package {
    std::string name;
    std::string section;
    double installed_kib;
    std::vector<std::string> paragraphs;
  };

  std::unordered_map<std::string, std::string> descriptions_;  // by their MD5
  std::unordered_set<std::string> seen_;                       // names of packages
  std::map<std::string, std::vector<Package>> sources_;        // by the source's name
};

}  // namespace padless
