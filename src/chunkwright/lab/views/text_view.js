// A document with its chunks painted into it. Only the rows in sight are in the page.
//
// Positions are UTF-16 code units. Text goes into text nodes only, never into markup.

import {
  cutsOf,
  focusRow,
  forEachRow,
  isLost,
  ofOneText,
  painted,
  positionIn,
  rowAt,
} from "chunkwright-rows";

// Rows of chunks: the text from the start of each to the start of the next, in pieces.
function rowsOf(text, painting) {
  const { starts, ends } = painting;
  const rows = [];
  const add = (chunk, start, end, reach) =>
    forEachRow(text, start, end, (from, to) =>
      rows.push({ chunk, from, to, reach, first: from === start, last: to === end }),
    );
  const count = starts.length;
  if (!count || starts[0] > 0) add(-1, 0, count ? starts[0] : text.length, 0);
  let reach = 0;
  for (let chunk = 0; chunk < count; chunk++) {
    const next = chunk + 1 < count ? starts[chunk + 1] : text.length;
    add(chunk, starts[chunk], next, Math.min(reach, next));
    reach = Math.max(reach, ends[chunk]);
  }
  return rows;
}

const NOTHING = Object.freeze({
  sequence: 0,
  starts: [],
  ends: [],
  tokens: [],
  heads: [],
  head: [],
  parents: [],
  parent: [],
  leads: {},
});

export default {
  mixins: [ofOneText],
  template: `
    <div class="cw-view" :lang="lang || undefined" @mouseup="select" @keyup.shift="select">
      <div v-if="message" class="cw-message" role="status">{{ message }}</div>
      <q-virtual-scroll ref="scroll" class="cw-scroll" :items="rows" role="region"
        :aria-label="label" :virtual-scroll-item-size="110" v-slot="{ item, index }"
        @keydown="move" @focusin="refocus">
        <div class="cw-row" :key="index" :class="classes(item)" :data-row="index"
          :data-chunk="item.chunk" role="article" :tabindex="tabindex(item)"
          :aria-label="name(item)" @focus="focus(item)">
          <div v-if="item.first && item.chunk >= 0" class="cw-meta">
            <span class="cw-number">{{ item.chunk + 1 }}</span>
            <span>{{ painting.tokens[item.chunk] }} tokens</span>
            <span v-if="opens(item)" class="cw-parent-name">parent {{
              painting.parent[item.chunk] + 1 }}, {{
              painting.parents[painting.parent[item.chunk]][2] }} tokens</span>
            <span v-for="code in codes(item.chunk)" :key="code" class="cw-flag"
              :class="'cw-' + rules[code].severity">{{ rules[code].label }}<q-tooltip
              max-width="24rem"><b>{{ code }} {{ rules[code].name }}</b><br>{{ rules[code].why
              }}</q-tooltip></span>
          </div>
          <div v-if="item.first && added(item)" class="cw-head" dir="auto"
            title="Put before the text when it is embedded">{{ added(item) }}</div>
          <div class="cw-text" dir="auto"><span v-for="part in parts(item)" :key="part.from"
            :class="part.kind" :data-from="part.from">{{ part.text }}</span></div>
        </div>
      </q-virtual-scroll>
    </div>`,
  props: {
    label: String,
    rules: Object, // by code: name, label, severity, why
    selectable: Boolean,
  },
  data() {
    return {
      rows: Object.freeze([]),
      painting: NOTHING,
      marks: Object.freeze([]),
      found: Object.freeze({}),
      current: -1,
    };
  },
  created() {
    this.awaited = "Cutting …";
    this.wanted = -1; // the chunk that keys are on their way to
  },
  methods: {
    clear() {
      this.painting = NOTHING;
      this.rows = Object.freeze([]);
      this.current = -1;
    },
    paint(source, painting) {
      this.when(source, () => {
        const at = positionIn(this.$refs.scroll, this.rows, 0.5);
        this.message = "";
        this.painting = Object.freeze(painting);
        this.found = Object.freeze(painting.found || {});
        this.rows = Object.freeze(rowsOf(this.text, painting));
        if (this.current >= painting.starts.length) this.current = -1;
        this.$nextTick(() =>
          painted(
            this.$el,
            this.$refs.scroll,
            at > 0 ? rowAt(this.rows, at) : -1,
            painting.sequence,
          ),
        );
      });
    },
    // Say why nothing can be painted; what was painted stays.
    refuse(source, message) {
      this.when(source, () => {
        if (!this.rows.length) this.message = message;
      });
    },
    find(source, sequence, found) {
      this.when(source, () => {
        if (sequence !== this.painting.sequence) return;
        this.found = Object.freeze(found);
        this.$el.dataset.checked = sequence;
      });
    },
    mark(source, marks) {
      this.when(source, () => {
        this.marks = Object.freeze(marks);
      });
    },
    // Bring a position into sight.
    show(source, position) {
      this.when(source, () =>
        this.$nextTick(() =>
          this.$refs.scroll.scrollTo(rowAt(this.rows, position), "center-force"),
        ),
      );
      // A row may be higher than the list: a mark that starts there is brought into sight itself.
      let frames = 20;
      const bring = () => {
        const part = this.$el.querySelector(`[class*="cw-mark-"][data-from="${position}"]`);
        const box = this.$refs.scroll && this.$refs.scroll.$el;
        if (part && box) {
          const { top, bottom } = part.getBoundingClientRect();
          const seen = box.getBoundingClientRect();
          if (top < seen.top || bottom > seen.bottom) box.scrollTop += top - seen.top - 48;
        }
        if (frames-- > 0) requestAnimationFrame(bring);
      };
      this.when(source, () => this.$nextTick(() => requestAnimationFrame(bring)));
    },
    classes(row) {
      const parent = this.painting.parent[row.chunk];
      const last = this.painting.parent[row.chunk + 1] !== parent;
      return {
        "cw-none": row.chunk < 0,
        "cw-odd": row.chunk % 2 === 1,
        "cw-first": row.first,
        "cw-last": row.last,
        "cw-current": row.chunk >= 0 && row.chunk === this.current,
        "cw-found": this.codes(row.chunk).some((code) => this.rules[code].severity !== "note"),
        "cw-parent": parent !== undefined,
        "cw-parent-first": parent !== undefined && row.first && this.opens(row),
        "cw-parent-last": parent !== undefined && row.last && last,
      };
    },
    opens(row) {
      const { parent } = this.painting;
      return parent.length > 0 && parent[row.chunk] !== parent[row.chunk - 1];
    },
    codes(chunk) {
      return this.found[chunk] || [];
    },
    added(row) {
      const { head, heads, leads } = this.painting;
      const before = head.length && head[row.chunk] >= 0 ? heads[head[row.chunk]] : "";
      const lead = leads[row.chunk];
      return (before + (lead === undefined ? "" : lead)).trimEnd();
    },
    name(row) {
      if (row.chunk < 0) return "in no chunk";
      const labels = this.codes(row.chunk).map((code) => this.rules[code].label);
      const more = row.first ? "" : ", continued";
      return [`chunk ${row.chunk + 1}${more}`, ...labels].join(", ");
    },
    tabindex(row) {
      const chosen = Math.max(0, this.current);
      return row.first && row.chunk === chosen ? 0 : -1;
    },
    focus(row) {
      if (row.chunk < 0 || row.chunk === this.current) return;
      if (row.chunk !== this.wanted) this.wanted = -1;
      this.current = row.chunk;
      this.$emit("chunk", { chunk: row.chunk });
    },
    move(event) {
      if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
      const last = this.painting.starts.length - 1;
      const at = Math.max(0, this.wanted >= 0 ? this.wanted : this.current);
      const flagged = (step) => {
        for (let chunk = at + step; chunk >= 0 && chunk <= last; chunk += step)
          if (this.codes(chunk).length) return chunk;
        return at;
      };
      const to = {
        ArrowDown: () => Math.min(last, at + 1),
        ArrowUp: () => Math.max(0, at - 1),
        Home: () => 0,
        End: () => last,
        n: () => flagged(1),
        p: () => flagged(-1),
      }[event.key];
      if (!to || last < 0) return;
      event.preventDefault();
      this.choose(to());
    },
    // A row in focus that is made anew leaves the focus on the list: it goes back to the row.
    refocus(event) {
      const chunk = this.wanted >= 0 ? this.wanted : this.current;
      if (chunk < 0 || !isLost(event)) return;
      const at = rowAt(this.rows, this.painting.starts[chunk]);
      focusRow(this.$el, at, () => chunk === (this.wanted >= 0 ? this.wanted : this.current));
    },
    choose(chunk) {
      this.wanted = chunk; // of two quick keys only the last one counts
      const at = rowAt(this.rows, this.painting.starts[chunk]);
      this.$refs.scroll.scrollTo(at, "center-force");
      this.$nextTick(() => focusRow(this.$el, at, () => this.wanted === chunk));
    },
    // The text of a row in parts that look alike throughout.
    parts(row) {
      const end = row.chunk < 0 ? row.from : this.painting.ends[row.chunk];
      const marks = this.marks.filter((mark) => mark[0] < row.to && mark[1] > row.from);
      const edges = [row.from, row.to, row.reach, end];
      for (const mark of marks) edges.push(mark[0], mark[1]);
      const cuts = cutsOf(row, edges);
      return cuts.map((from, at) => {
        const to = at + 1 < cuts.length ? cuts[at + 1] : row.to;
        const kinds = marks.filter((mark) => mark[0] <= from && mark[1] >= to);
        return {
          from,
          text: this.text.slice(from, to),
          kind: [
            from < row.reach ? "cw-shared" : from < end ? "cw-own" : "cw-gap",
            ...kinds.map((mark) => `cw-mark-${mark[2]}`),
          ],
        };
      });
    },
    select() {
      if (!this.selectable) return;
      const chosen = window.getSelection();
      if (!chosen || chosen.isCollapsed || !chosen.rangeCount) return;
      const range = chosen.getRangeAt(0);
      const start = this.unit(range.startContainer, range.startOffset);
      const end = this.unit(range.endContainer, range.endOffset);
      if (start === null || end === null || start >= end) return;
      this.$emit("selected", { start, end });
    },
    // The position in the text of a place in the page.
    unit(node, offset) {
      const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      const part = element.closest("[data-from]");
      if (part && this.$el.contains(part)) {
        return Number(part.dataset.from) + (node.nodeType === Node.TEXT_NODE ? offset : 0);
      }
      const row = element.closest("[data-row]");
      if (!row || !this.$el.contains(row)) return null;
      return this.rows[row.dataset.row].from;
    },
  },
};
