#include "padless/viz/attended_sentences.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/number.h"

namespace padless::viz {
namespace {

void append_word(std::string& out, const AttendedWord& word) {
  if (!word.has_number) {
    out += "<span class=\"pv-unknown\" title=\"the weight is not a number\">" +
           escape_markup(word.text) + "?</span>";
    return;
  }
  out += "<span style=\"--w:" + trimmed(word.intensity, 2) + "\" title=\"" +
         trimmed(word.weight, 4) + "\">" + escape_markup(word.text) + "</span>";
}

}  // namespace

std::string_view heatmap_css() {
  // Words are isolated, so that no character in one can turn its neighbours around; dir="auto" sets
  // a right-to-left sentence from the right.
  return ".pv-text{--heat-rgb:86,180,233;list-style:none;margin:0;padding:0;max-width:46rem;line-"
         "height:1.75}"
         ".pv-text li{display:grid;grid-template-columns:4.5rem minmax(0,1fr);gap:.75rem;"
         "padding:.3rem 0;border-top:1px solid var(--grid,#dfe3e8)}"
         ".pv-text li:first-child{border-top:0}"
         ".pv-text p{margin:0;overflow-wrap:anywhere}"
         ".pv-text p span{background:rgba(var(--heat-rgb),var(--w,0));border-radius:.2em;"
         "padding:.1em "
         ".15em;unicode-bidi:isolate;white-space:pre-wrap;-webkit-box-decoration-break:"
         "clone;box-decoration-break:clone;-webkit-print-color-adjust:exact;"
         "print-color-adjust:exact}"
         ".pv-text .pv-unknown{outline:1px dashed currentColor}"
         ".pv-text .pv-none{padding:0;color:var(--soft,#59626e)}"
         ".pv-share{font-variant-numeric:tabular-nums;font-size:.8125rem;line-height:1.75;"
         "color:var(--soft,#59626e)}"
         ".pv-share i{display:block;height:.4rem;border-radius:.2rem;background:"
         "linear-gradient(var(--bar,#0072b2),var(--bar,#0072b2)) 0/calc(100%*var(--w,0)) 100% "
         "no-repeat var(--grid,#dfe3e8);-webkit-print-color-adjust:exact;"
         "print-color-adjust:exact}"
         "@media screen and (prefers-color-scheme:dark){.pv-text{--heat-rgb:0,114,178}"
         ".pv-share{--bar:#56b4e9}}";
}

Markup heatmap_html(const AttendedText& text) {
  std::string out = "<ol class=\"pv-text\">";
  for (const AttendedSentence& sentence : attended_sentences(text, "heatmap_html")) {
    out += "<li><div class=\"pv-share\">";
    out += sentence.has_number ? trimmed(100 * sentence.share, 1) + "%" : "?";
    out += "<i style=\"--w:" + trimmed(sentence.share, 3) + "\"></i></div><p dir=\"auto\">";
    if (sentence.words.empty()) out += "<span class=\"pv-none\">no words</span>";
    bool first = true;
    for (const AttendedWord& word : sentence.words) {
      if (!first) out += ' ';
      first = false;
      append_word(out, word);
    }
    out += "</p></li>";
  }
  return {out + "</ol>"};
}

}  // namespace padless::viz
