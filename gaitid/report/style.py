"""The page's style sheet: light and dark, narrow and wide, paper."""

CSS = """
:root{color-scheme:light dark;--page:#fff;--card:#f6f7f9;--ink:#1c1d21;--muted:#5c616b;--grid:#d9dbe0;
--left:#c5342b;--right:#0b6fa4;--warn:#8a5a00;--warn-back:#fff6e0;--warn-edge:#e0a92e}
@media (prefers-color-scheme:dark){:root{--page:#16181c;--card:#1f2227;--ink:#e8e9ec;--muted:#a5abb6;
--grid:#3a3e46;--left:#ff8375;--right:#62bdf0;--warn:#ffd479;--warn-back:#30280f;--warn-edge:#8a6a1c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:.94rem/1.5 system-ui,-apple-system,"Segoe UI",
Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1180px;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1{font-size:1.6rem;line-height:1.2;margin:.2rem 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .5rem;padding-bottom:.2rem;border-bottom:1px solid var(--grid)}
h3{font-size:1rem;margin:1.4rem 0 .4rem}
p,ul,ol{margin:.4rem 0}
.facts,.note,figcaption{color:var(--muted);font-size:.87rem}
.facts span+span::before{content:" · "}
article+article{margin-top:4rem;border-top:3px solid var(--grid);padding-top:1.5rem}
nav{background:var(--card);border-radius:8px;padding:.7rem 1rem;margin-bottom:1.5rem}
a{color:var(--right)}
.warnings{background:var(--warn-back);border:1px solid var(--warn-edge);border-left-width:6px;
border-radius:6px;padding:.6rem 1rem;margin:1rem 0}
.warnings h2{border:0;margin:0;padding:0;font-size:1rem;color:var(--warn)}
.warnings ul{padding-left:1.2rem}
.warnings li{overflow-wrap:anywhere}
.quiet{color:var(--muted)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;font-size:.87rem;margin:.5rem 0}
.left{color:var(--left)}.right{color:var(--right)}
.left,.right{font-weight:600}
figure{margin:.6rem 0 1.2rem}
.scroll{overflow-x:auto}
figure svg{display:block;width:100%;min-width:820px;height:auto}
figure svg text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif!important}
table{border-collapse:collapse;font-size:.87rem;margin:.3rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.22rem .6rem;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top}
thead th{color:var(--muted);font-weight:600;vertical-align:bottom}
tbody th{font-weight:500}
td.n,th.n{text-align:right;white-space:nowrap}
th.group{text-align:center;white-space:nowrap;border-left:1px solid var(--grid)}
td small{display:block;color:var(--muted);font-size:.78em}
td small.part{color:var(--warn)}
td table{margin:-.22rem 0;font-size:1em}
td table tr:last-child>*{border-bottom:0}
td{overflow-wrap:break-word}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));
gap:0 2rem;align-items:start}
.columns>section{min-width:0}
code{font-size:.85em;overflow-wrap:anywhere}
dl{margin:.4rem 0}dt{font-weight:600;margin-top:.5rem}dd{margin:0;overflow-wrap:anywhere}
footer{margin-top:3rem;color:var(--muted);font-size:.8rem}
@media print{html{font-size:11px}@page{size:A4 landscape;margin:12mm}:root{--page:#fff;--card:#fff;--ink:#000;
--muted:#444;--grid:#ccc;--left:#c5342b;--right:#0b6fa4;--warn:#5a3a00;--warn-back:#fff;--warn-edge:#a87a10}
main{max-width:none;padding:0}figure,tr,.warnings{break-inside:avoid}h2,h3{break-after:avoid}
article+article{break-before:page;border:0}figure svg{min-width:0}nav{display:none}}
"""
