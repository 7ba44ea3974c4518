/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/page_files.h - a line for each file of daemons/statsman/page that is served:
 * symbol, address, file, Content-Type. */
#ifdef PAGE
PAGE(index_html, "/", "index.html", "text/html; charset=utf-8")
PAGE(app_js, "/app.js", "app.js", "text/javascript; charset=utf-8")
PAGE(style_css, "/style.css", "style.css", "text/css; charset=utf-8")
PAGE(dom_js, "/dom.js", "dom.js", "text/javascript; charset=utf-8")
PAGE(graph_js, "/graph.js", "graph.js", "text/javascript; charset=utf-8")
PAGE(lanes_js, "/lanes.js", "lanes.js", "text/javascript; charset=utf-8")
PAGE(layers_js, "/layers.js", "layers.js", "text/javascript; charset=utf-8")
PAGE(margins_js, "/margins.js", "margins.js", "text/javascript; charset=utf-8")
PAGE(server_js, "/server.js", "server.js", "text/javascript; charset=utf-8")
PAGE(signals_js, "/signals.js", "signals.js", "text/javascript; charset=utf-8")
PAGE(times_js, "/times.js", "times.js", "text/javascript; charset=utf-8")
PAGE(waveform_js, "/waveform.js", "waveform.js", "text/javascript; charset=utf-8")
PAGE(favicon_svg, "/favicon.svg", "favicon.svg", "image/svg+xml")
PAGE(uplot_js, "/uPlot.iife.min.js", "uplot/uPlot.iife.min.js", "text/javascript; charset=utf-8")
PAGE(uplot_css, "/uPlot.min.css", "uplot/uPlot.min.css", "text/css; charset=utf-8")
#endif
