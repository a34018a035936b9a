// The style sheet of ReportPage, without that of the pictures in it.
#pragma once

#include <string_view>

namespace padless::viz {

// Phone first: one column, tables scroll inside themselves; from 70rem on the table of contents
// stands beside the text. Colours have a contrast of at least 4.5:1 with their ground.
inline constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59626e;--paper:#fff;--raised:#f5f7f9;--grid:#dfe3e8;
--link:#005a8f;--holds:#00664b;--fails:#a33a00;--mixed:#7a5200}
@media screen and (prefers-color-scheme:dark){:root{--ink:#f0f2f4;--soft:#aab3be;--paper:#14171c;
--raised:#1d2128;--grid:#323841;--link:#7cc4f2;--holds:#43cfa6;--fails:#ff9257;--mixed:#f0b73a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0 auto;max-width:78rem;padding:1rem .625rem 3rem;background:var(--paper);color:var(--ink);
font:1rem/1.6 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:.625rem;top:.5rem;padding:.5rem 1rem;background:var(--paper);z-index:1}
h1,h2,h3{line-height:1.25;text-wrap:balance;overflow-wrap:anywhere}
h1{font-size:1.75rem;margin:.5rem 0 1rem}
h2{font-size:1.3125rem;margin:0 0 .75rem}
h3{font-size:1.0625rem;margin:1.5rem 0 .5rem}
p,ul,ol{margin:0 0 1rem;max-width:68ch}
p,li,dd,td,th,summary,figcaption{overflow-wrap:break-word}
section{margin-top:2.5rem;padding-top:1.5rem;border-top:1px solid var(--grid)}
nav{margin:1.5rem 0;padding:.875rem 1rem;background:var(--raised);border-radius:.5rem}
nav h2{font-size:.9375rem;margin:0 0 .375rem}
nav ol{margin:0;padding:0;list-style:none}
nav li a{display:flex;gap:.75rem;align-items:baseline;justify-content:space-between;padding:.3rem 0;
text-decoration:none}
nav li a>span:first-child{text-decoration:underline}
nav li a .badge{flex:none}
.badge{display:inline-block;padding:.05rem .5rem;border:1.5px solid currentColor;border-radius:1rem;
font-size:.8125rem;font-weight:600;line-height:1.4;white-space:nowrap;text-decoration:none}
.holds{color:var(--holds)}.fails{color:var(--fails)}.mixed{color:var(--mixed)}
.fails{background:var(--fails);border-color:var(--fails);color:var(--paper)}.mixed{border-style:dashed}
h2 .badge{margin-left:.5rem;vertical-align:.15em}
.verdict{display:flex;gap:.625rem;align-items:baseline}
.verdict .badge{flex:none;min-width:5.25rem;text-align:center}
.scroll{overflow-x:auto;margin:0 0 1.25rem;background:
linear-gradient(90deg,var(--paper) 1.5rem,transparent) 0/3rem 100% no-repeat local,
linear-gradient(270deg,var(--paper) 1.5rem,transparent) 100%/3rem 100% no-repeat local,
linear-gradient(90deg,var(--grid),transparent) 0/.75rem 100% no-repeat scroll,
linear-gradient(270deg,var(--grid),transparent) 100%/.75rem 100% no-repeat scroll}
table{width:max-content;border-collapse:collapse;font-size:.9375rem;line-height:1.4}
caption{text-align:left;color:var(--soft);padding-bottom:.4rem;font-size:.875rem}
td{max-width:22rem}
th,td{padding:.375rem .875rem .375rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}
th:last-child,td:last-child{padding-right:0}
thead th{border-bottom:2px solid var(--soft);vertical-align:bottom;font-weight:600}
tbody th{font-weight:400}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
figure{margin:0 0 1.5rem}
figure svg,svg+figcaption{max-width:27rem}
figcaption{max-width:68ch;margin-top:.5rem;font-size:.875rem;line-height:1.5;color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));gap:0 2rem}
details{margin:0 0 1rem;border:1px solid var(--grid);border-radius:.5rem;padding:0 .875rem}
summary{cursor:pointer;padding:.625rem 0;font-weight:600}
details[open]{padding-bottom:.25rem}
pre{overflow-x:auto;margin:0 0 1rem;padding:.75rem .875rem;background:var(--raised);border-radius:.5rem;
font:.875rem/1.5 ui-monospace,'SF Mono',Consolas,'DejaVu Sans Mono',monospace}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--grid);color:var(--soft);font-size:.875rem}
@media (min-width:40rem){body{padding-left:1.5rem;padding-right:1.5rem}h1{font-size:2.25rem}}
@media (min-width:70rem){.columns{margin-top:2.5rem;display:grid;grid-template-columns:16rem minmax(0,1fr);gap:3.5rem}
nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow-y:auto}
nav,.columns section:first-child{margin-top:0}.columns section:first-child{border-top:0;padding-top:0}}
@media print{body{max-width:none;padding:0;font-size:10.5pt}nav,.skip{display:none}
.columns{display:block}section{break-inside:auto}h2,h3{break-after:avoid}figure,tr,.verdict{break-inside:avoid}
.scroll,pre{overflow:visible}a{color:inherit}}
)";

}  // namespace padless::viz
