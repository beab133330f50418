#pragma once

namespace dragoman::report {

// The style sheet of every page: one column, charts side by side if there is room, dark mode if the browser prefers it.
inline constexpr const char* kPageStyle = R"css(
:root{--ink:#1d2430;--dim:#667085;--rule:#e3e7ee;--paper:#fff;--panel:#f7f8fa;
--s0:#2563eb;--s1:#d9480f;--s2:#2f9e44;--s3:#9c36b5;--s4:#0c8599;--s5:#e67700}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#98a2b3;--rule:#333b48;--paper:#14181f;--panel:#1c222b;
--s0:#74a3ff;--s1:#ff8f5c;--s2:#69db7c;--s3:#da77f2;--s4:#3bc9db;--s5:#ffc078}}
body{margin:2rem auto;max-width:1180px;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--paper)}
h1{font-size:1.5rem;margin:0 0 .8rem}h2{font-size:1.15rem;margin:2rem 0 .6rem}
table{border-collapse:collapse;margin:.4rem 0}th{text-align:left;font-weight:500;color:var(--dim);padding:.15rem 1.2rem
.15rem 0;vertical-align:top;white-space:nowrap}td{padding:.15rem 0}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:1rem;margin-top:1.2rem}
.chart{background:var(--panel);border-radius:8px;width:100%;height:auto}
.title{font:600 14px system-ui,sans-serif;fill:var(--ink)}.tick{font:11px system-ui,sans-serif;fill:var(--dim)}
.name{font:600 12px system-ui,sans-serif}.grid{stroke:var(--rule)}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
.line.s0{stroke:var(--s0)}.line.s1{stroke:var(--s1)}.line.s2{stroke:var(--s2)}.line.s3{stroke:var(--s3)}
.line.s4{stroke:var(--s4)}.line.s5{stroke:var(--s5)}
.dot.s0,.name.s0{fill:var(--s0)}.dot.s1,.name.s1{fill:var(--s1)}.dot.s2,.name.s2{fill:var(--s2)}
.dot.s3,.name.s3{fill:var(--s3)}.dot.s4,.name.s4{fill:var(--s4)}.dot.s5,.name.s5{fill:var(--s5)}
article{background:var(--panel);border-radius:8px;padding:.8rem 1rem;margin:.8rem 0}
.source{font-weight:600;margin:0}.reference{color:var(--dim);margin:0 0 .5rem}
summary{cursor:pointer}.when{display:inline-block;min-width:8.5rem;color:var(--dim)}
.matrix{margin:.6rem 0;max-width:100%;font-family:system-ui,sans-serif;fill:var(--ink)}.paper{fill:none}
.cell{fill:var(--s0);stroke:var(--rule)}.framed{stroke:var(--s1)}
pre{background:var(--panel);border-radius:8px;padding:1rem;overflow:auto;font-size:13px}
)css";

}  // namespace dragoman::report
