#pragma once

#include <string>

namespace dragoman::report {

// The style sheet of every page: one column, charts side by side if there is room, dark mode if the browser prefers it,
// black on white in print. Colours are those of Okabe & Ito, darkened or lightened to stand out from the background.
inline constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--ink:#1d2430;--dim:#566072;--rule:#dfe4ec;--paper:#fff;--panel:#f6f8fb;--accent:#0061a0;
--c0:#0072b2;--c1:#d55e00;--c2:#00845f;--c3:#a8447e;--c4:#946800;--c5:#2a93cf;--c6:#4b5563;
--good:#00694b;--bad:#a83b00;--s0:var(--c0);--s1:var(--c1)}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#a3adbd;--rule:#333b48;--paper:#14181f;
--panel:#1c222b;--accent:#7cc0f5;--c0:#5aa9e6;--c1:#ff8a4c;--c2:#2fcf9d;--c3:#e58bbd;--c4:#f0c24a;--c5:#a5e0ff;
--c6:#c3cad5;--good:#4fdcae;--bad:#ff9f6e}}
*{box-sizing:border-box}
body{margin:2rem auto;max-width:1180px;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--paper);overflow-wrap:break-word}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .8rem}h2{font-size:1.25rem;margin:2.4rem 0 .6rem}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.facts td{overflow-wrap:anywhere}
table{border-collapse:collapse;margin:.4rem 0}th{text-align:left;font-weight:500;color:var(--dim);padding:.15rem 1.2rem
.15rem 0;vertical-align:top}td{padding:.15rem 0}
.scroll{overflow-x:auto;width:fit-content;max-width:100%;margin:.6rem 0;border:1px solid var(--rule);border-radius:8px}
.results{margin:0;min-width:24rem;font-variant-numeric:tabular-nums}
.results caption{text-align:left;font-weight:600;padding:.6rem .8rem .4rem;position:sticky;left:0}
#cost+.scroll caption,h3+.scroll caption,h3+p+.scroll caption,details .scroll caption{position:absolute;width:1px;height:1px;
overflow:hidden;clip-path:inset(50%)}
.results th,.results td{padding:.35rem .65rem;border-top:1px solid var(--rule);vertical-align:baseline}
.results thead th{color:var(--dim);font-size:.87em;vertical-align:bottom;text-align:right;white-space:nowrap}
.results thead th.words{text-align:left}.results .words{white-space:nowrap}.results thead th[scope=colgroup]{text-align:center}
.results .first{border-left:1px solid var(--rule)}
.results tbody th{color:var(--ink);position:sticky;left:0;background:var(--paper);min-width:13rem}
.results tbody tr:hover>*{background:var(--panel)}
.results .number{text-align:right;white-space:nowrap}.results small{color:var(--dim);font-size:.84em}
.results .number small{display:block;line-height:1.3}
.wraps :is(td,thead th).words{white-space:normal;overflow-wrap:anywhere;min-width:8rem;max-width:19rem}
.wraps tbody th{min-width:10rem;overflow-wrap:anywhere}
.better{color:var(--good)}.worse{color:var(--bad)}
.notes{color:var(--dim);font-size:.87em;padding-left:1.2rem;margin:.3rem 0 1rem}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr));gap:1rem;margin-top:1.2rem;
align-items:start}
.plot{margin:0;background:var(--panel);border-radius:8px;padding:.8rem .8rem .5rem;break-inside:avoid;min-width:0}
.plot figcaption{font-weight:600;margin-bottom:.3rem}
.plot{container-type:inline-size}.chart{display:block;width:100%;height:auto}
@container (min-width:620px){.drawing{display:grid;grid-template-columns:minmax(0,680px) minmax(12rem,1fr);gap:1rem;align-items:center}
.drawing .legend{flex-direction:column;gap:.25rem}}
.tick,.label,.remark,.value{font:12px system-ui,sans-serif;fill:var(--dim)}.label{font-style:italic}
.name{font:600 13px/21px system-ui,sans-serif;color:var(--ink);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.name .remark{color:var(--dim)}.value{font-weight:600;fill:var(--ink)}
.grid{stroke:var(--rule)}.axis{stroke:var(--dim)}
.line{fill:none;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round}.dot{fill:var(--c);stroke:none}
.bar{fill:var(--c)}.best{fill:none;stroke:var(--c);stroke-width:2}.cursor{stroke:var(--dim);stroke-dasharray:3 3}
.raw{opacity:.35;stroke-width:1.1}.more{display:none}
body:has(#smooth-off:checked) :is(.some,.more){display:none}body:has(#smooth-off:checked) .raw{opacity:1;stroke-width:1.8}
body:has(#smooth-more:checked) .some{display:none}body:has(#smooth-more:checked) .more{display:inline}
.over-epochs,.over-time{display:none}
body:has(#over-epochs:checked) :is(.over-updates,.over-time){display:none}body:has(#over-epochs:checked) .over-epochs{display:block}
body:has(#over-time:checked) :is(.over-updates,.over-epochs){display:none}body:has(#over-time:checked) .over-time{display:block}
.values{margin:.1rem 0 0;min-height:1.5em;font-size:13px;font-variant-numeric:tabular-nums;color:var(--dim)}
.values span[class]{color:var(--c);font-weight:600;margin-left:.5em}
.options{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;margin:1.2rem 0 0}
.options fieldset{display:flex;flex-wrap:wrap;gap:.2rem .9rem;border:1px solid var(--rule);border-radius:8px;margin:0;padding:.2rem .8rem .4rem;min-width:0}
.options legend{color:var(--dim);font-size:.87em;padding:0 .3rem}.options label{cursor:pointer}
.state{border-left:4px solid var(--c0);padding:.2rem .8rem;margin:.4rem 0;overflow-wrap:anywhere}
.state.finished{border-color:var(--good)}.state.failed,.state.interrupted{border-color:var(--bad)}
.live{color:var(--dim);font-size:.92em;margin:.2rem 0}.live:not(:has(label:not([hidden]))){display:none}
.whisker{fill:none;stroke:var(--ink);stroke-width:1.6}
.published{fill:var(--paper);stroke:var(--c1);stroke-width:2}
.series{transition:opacity .12s}.chart:has(.series:hover) .series:not(:hover){opacity:.2}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:.3rem 0;padding:0;font-size:13px}
.legend label,.legend li{display:flex;align-items:center;gap:.4rem;min-width:0}.legend,.legend span{min-width:0;overflow-wrap:anywhere}.legend label:has(input){cursor:pointer}
.legend label:has(input:not(:checked)){opacity:.5}.legend input{margin:0;accent-color:var(--c)}
.swatch{flex:none}.legend b{font-variant-numeric:tabular-nums;font-weight:600}.legend small{color:var(--dim)}
@media screen and (max-width:640px){body{margin:1rem auto}.results{min-width:0}.results tbody th{min-width:6.5rem;max-width:9rem}
.wraps :is(td,thead th).words{min-width:7.5rem}
.results th,.results td{padding:.35rem .55rem}.charts{gap:.7rem}.plot{padding:.6rem .5rem .4rem}
.facts tr{display:block;margin-bottom:.4rem}.facts :is(th,td){display:block;padding:0}
.tick,.label,.remark,.value{font-size:17px}.name{font-size:18px}.line{stroke-width:2.4}}
article{background:var(--panel);border-radius:8px;padding:.8rem 1rem;margin:.8rem 0}
.source{font-weight:600;margin:0}.reference{color:var(--dim);margin:0 0 .5rem}
summary{cursor:pointer}.when{display:inline-block;min-width:8.5rem;color:var(--dim);text-indent:0}
article summary{padding-left:10rem;text-indent:-10rem;overflow-wrap:anywhere}.said{text-indent:0}
@media screen and (max-width:640px){article summary{padding-left:1.1rem;text-indent:-1.1rem}.when{min-width:0}.said{display:block}}
.box{overflow-x:auto}.matrix{margin:.6rem 0;font-family:system-ui,sans-serif;fill:var(--ink)}.paper{fill:none}
.cell{fill:var(--s0);stroke:var(--rule)}.framed{stroke:var(--s1)}
pre{background:var(--panel);border-radius:8px;padding:1rem;overflow:auto;font-size:13px}
@media print{:root{--ink:#000;--dim:#333;--panel:#fff;--rule:#bbb}body{margin:0;max-width:none;font-size:10.5pt}
.plot,article{border:1px solid var(--rule)}.charts:has(>.plot+.plot){grid-template-columns:1fr 1fr}h2,h3{break-after:avoid}
tr,.plot,article{break-inside:avoid}thead{display:table-header-group}.scroll{overflow:visible;border:0}
.results{font-size:9pt;min-width:0}.results th,.results td{padding:.2rem .4rem}.results tbody th{position:static;min-width:0}
.legend input,.options,.live,.values{display:none}.box{overflow:visible}.matrix{max-width:100%}a{color:inherit}}
)css";

// kPageStyle and the rules for the series of charts.
std::string page_style();

}  // namespace dragoman::report
