// A strict reader of small XML, for tests of what we write.
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace padless::testing {

/// Finds the first fault in an XML document (an HTML doctype before it is allowed): elements that
/// do not nest, attributes unquoted or given twice, an id used twice, a bare '<' or '&', an unknown
/// entity, a control character, not exactly one root.
class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  /// Empty when the document is well formed.
  std::string fault() {
    for (const char c : text_)
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
        return "a control character";
    if (text_.starts_with("<!DOCTYPE html>")) at_ = text_.find('>') + 1;
    while (at_ < text_.size() && fault_.empty()) step();
    if (fault_.empty() && !open_.empty()) fail("<" + open_.back() + "> is not closed");
    if (fault_.empty() && roots_ != 1) fail(std::to_string(roots_) + " roots");
    return fault_;
  }

 private:
  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what + " at '" + std::string(text_.substr(at_, 60)) + "'";
    at_ = text_.size();
  }

  bool take(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::string name() {
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-'))
      ++at_;
    if (first == at_) fail("no name");
    return std::string(text_.substr(first, at_ - first));
  }

  void entity() {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (take(known)) return;
    fail("a bare & or unknown entity");
  }

  void step() {
    if (text_[at_] == '&') return entity();
    if (take("</")) return end_tag();
    if (take("<")) return start_tag();
    if (text_[at_] == '>') return fail("a bare >");
    if (open_.empty() && !std::isspace(static_cast<unsigned char>(text_[at_])))
      return fail("text outside the root");
    ++at_;
  }

  void end_tag() {
    const std::string closed = name();
    if (open_.empty() || open_.back() != closed) return fail("</" + closed + "> closes nothing");
    open_.pop_back();
    if (!take(">")) fail("an end tag without >");
  }

  void start_tag() {
    const std::string element = name();
    if (open_.empty()) ++roots_;
    std::set<std::string> names;
    for (skip_spaces(); at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/'; skip_spaces())
      attribute(names);
    if (take("/>")) return;
    if (!take(">")) return fail("a start tag without >");
    open_.push_back(element);
    if (element != "style") return;
    // A style sheet is raw text in HTML and must be plain in XML: no '<', no '&'.
    const std::size_t end = text_.find('<', at_);
    if (text_.substr(at_, end - at_).find('&') != std::string_view::npos)
      return fail("& in a style");
    at_ = end == std::string_view::npos ? text_.size() : end;
  }

  void attribute(std::set<std::string>& names) {
    const std::string key = name();
    if (!names.insert(key).second) return fail(key + " is given twice");
    if (!take("=\"")) return fail("an attribute without a quoted value");
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '<') return fail("< in an attribute");
      if (text_[at_] == '&') {
        entity();
      } else {
        ++at_;
      }
    }
    const std::string value(text_.substr(first, at_ - first));
    if (key == "id" && !ids_.insert(value).second)
      return fail("the id " + value + " is used twice");
    if (!take("\"")) fail("an attribute that does not end");
  }

  std::string_view text_;
  std::size_t at_ = 0, roots_ = 0;
  std::vector<std::string> open_;
  std::set<std::string> ids_;
  std::string fault_;
};

inline std::string xml_fault(std::string_view text) { return XmlReader(text).fault(); }

/// How often `part` stands in `text`.
inline std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace padless::testing
