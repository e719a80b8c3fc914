// A Vega-Lite chart in the colours of the page, as wide as its column.

// The library of all charts; it is loaded with the first of them.
let library;

function load(source) {
  library = library || import((window.path_prefix || "") + source).then(() => window.vegaEmbed);
  library.catch(() => (library = undefined)); // the next chart tries again
  return library;
}

// A chart without its data, and the data by the names that it has there.
function split(chart) {
  const { datasets = {}, ...rest } = chart;
  const names = new Map();
  const rows = {};
  const name = (key, values) => {
    if (!names.has(key)) {
      names.set(key, `data${names.size}`);
      rows[names.get(key)] = values;
    }
    return { name: names.get(key) };
  };
  const walk = (value) => {
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (key !== "data" || !part) return [key, walk(part)];
        if (part.values) return [key, name(part, part.values)];
        return [key, part.name in datasets ? name(part.name, datasets[part.name]) : part];
      }),
    );
  };
  return { skeleton: walk(rest), rows };
}

// Make a chart as wide as there is room; what cannot shrink goes below the other parts.
function fit(chart, width) {
  if (chart.concat) {
    const wide = (part) => {
      const layer = (part.layer || [part])[0];
      const sort = (layer.encoding && layer.encoding.x && layer.encoding.x.sort) || [];
      return part.width && part.width.step ? part.width.step * sort.length + 70 : 300;
    };
    const columns = Math.floor(width / Math.max(...chart.concat.map(wide)));
    return { ...chart, columns: Math.max(1, columns) };
  }
  if (chart.facet) {
    const columns = width < 560 ? 1 : chart.columns || 1;
    const each = Math.max(120, Math.floor((width - 60 - 20 * columns) / columns));
    return { ...chart, columns, spec: { ...chart.spec, width: each } };
  }
  return { ...chart, width, autosize: { type: "fit-x", contains: "padding" } };
}

function colours(element, clickable) {
  const style = getComputedStyle(element);
  const of = (name) => style.getPropertyValue(name).trim();
  const [ink, quiet, line] = [of("--ink"), of("--quiet"), of("--line")];
  const pointer = clickable ? { cursor: "pointer" } : {};
  const words = { labelColor: ink, titleColor: ink };
  return {
    background: "transparent",
    font: style.fontFamily,
    view: { stroke: line },
    axis: { ...words, gridColor: line, domainColor: quiet, tickColor: quiet },
    legend: { ...words, orient: "top" },
    header: words,
    title: { color: ink },
    text: { color: ink, ...pointer },
    rule: { color: ink },
    point: { opacity: 1, ...pointer },
    rect: pointer,
    style: { "cw-ring": { color: ink } },
  };
}

// What is told of the point under the pointer lies over the page, and knows of no change of it.
function hush() {
  const tooltip = document.getElementById("vg-tooltip-element");
  if (tooltip) tooltip.classList.remove("visible");
}

export default {
  template: `
    <div class="cw-chart">
      <div v-if="message" class="cw-quiet" role="status">{{ message }}</div>
      <div role="img" :aria-label="summary ? label + '. ' + summary : label">
        <div ref="box" class="cw-chart-box" aria-hidden="true"></div>
      </div>
    </div>`,
  props: {
    label: String,
    summary: String,
    chart: String,
    library: String,
    clickable: Boolean,
  },
  data() {
    return { message: "" };
  },
  created() {
    this.shown = null; // what is in the page: the view, and what it was made of
    this.width = 0;
    this.drawn = this.reused = 0;
  },
  mounted() {
    this.observer = new ResizeObserver(() => {
      const width = Math.floor(this.$el.clientWidth);
      if (!width) hush(); // it is hidden
      if (!width || Math.abs(width - this.width) < 2) return;
      const first = !this.width;
      this.width = width;
      clearTimeout(this.later);
      this.later = setTimeout(() => this.draw(), first ? 0 : 120);
    });
    this.observer.observe(this.$el);
  },
  deactivated: hush,
  unmounted() {
    hush();
    this.observer.disconnect();
    clearTimeout(this.later);
    if (this.shown) this.shown.result.finalize();
    this.shown = null;
  },
  watch: {
    chart: "draw",
    "$q.dark.isActive": "recolour",
  },
  methods: {
    recolour() {
      this.$nextTick(() => this.draw());
    },
    // Draw it as it is now; while that is done, only the last of further calls counts.
    async draw() {
      this.again = true;
      if (this.busy) return;
      this.busy = true;
      try {
        while (this.again) {
          this.again = false;
          await this.drawOnce();
        }
        this.message = "";
      } catch (problem) {
        this.message = `The chart could not be drawn: ${problem.message}`;
      } finally {
        this.busy = false;
      }
    },
    async drawOnce() {
      if (!this.chart || !this.width) return;
      const { skeleton, rows } = split(JSON.parse(this.chart));
      const spec = fit(skeleton, this.width);
      const config = colours(this.$el, this.clickable);
      const key = JSON.stringify([spec, config]);
      if (this.shown && this.shown.key === key) {
        const { view } = this.shown.result;
        for (const [name, values] of Object.entries(rows)) view.data(name, values);
        await view.runAsync();
        this.reused += 1;
      } else {
        await this.embed(key, { ...spec, datasets: rows, config });
      }
      this.drawn += 1;
      this.$el.dataset.drawn = this.drawn;
      this.$el.dataset.reused = this.reused;
    },
    async embed(key, spec) {
      if (!library) this.message = "Loading the chart …";
      const embed = await load(this.library);
      if (!this.$refs.box) return; // the page has gone on
      const result = await embed(this.$refs.box, spec, {
        mode: "vega-lite",
        renderer: "svg",
        actions: false,
        defaultStyle: false,
        tooltip: { theme: this.$q.dark.isActive ? "dark" : "light" },
      });
      if (this.shown) this.shown.result.finalize();
      this.shown = { key, result };
      result.view.addEventListener("click", (_event, item) => {
        hush();
        if (!item || !item.datum) return;
        const plain = Object.entries(item.datum).filter(([, value]) => Object(value) !== value);
        this.$emit("point", { datum: Object.fromEntries(plain) });
      });
    },
  },
};
