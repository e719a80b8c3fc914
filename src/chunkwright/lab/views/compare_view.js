// Two columns of one text, each with the chunks of its side. A row holds the same text twice, so
// the columns stay level; a row starts where at least one side cuts. Only the rows in sight are in
// the page.
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

// Who cuts where a piece starts: bits.
const LEFT = 1;
const RIGHT = 2;
const NAMES = ["left", "right"];

// Rows of pieces: a long piece takes several.
function rowsOf(text, { starts, cuts, sides }) {
  const rows = [];
  starts.forEach((start, piece) => {
    const end = piece + 1 < starts.length ? starts[piece + 1] : text.length;
    const chunks = sides.map((side) => side.at[piece]);
    const before = sides.map((side) => (piece ? side.at[piece - 1] : -1));
    forEachRow(text, start, end, (from, to) =>
      rows.push({ from, to, chunks, before, cuts: cuts[piece], first: from === start }),
    );
  });
  return rows;
}

const NOTHING = Object.freeze({ sequence: 0, starts: [], cuts: [], sides: [] });

export default {
  mixins: [ofOneText],
  template: `
    <div class="cw-view cw-compare-view" :lang="lang || undefined">
      <div class="cw-compare-bar" role="toolbar" aria-label="Differences">
        <q-btn dense outline no-caps icon="arrow_upward" label="Previous difference"
          aria-keyshortcuts="p" :disable="!different.length" @click="step(-1)"></q-btn>
        <q-btn dense outline no-caps icon="arrow_downward" label="Next difference"
          aria-keyshortcuts="n" :disable="!different.length" @click="step(1)"></q-btn>
        <span class="cw-quiet" role="status">{{ told }}</span>
      </div>
      <div v-if="message" class="cw-message" role="status">{{ message }}</div>
      <q-virtual-scroll ref="scroll" class="cw-scroll" :items="rows" role="region"
        aria-label="Both cuts of the document" :virtual-scroll-item-size="110"
        v-slot="{ item, index }" @keydown="move" @focusin="refocus">
        <div class="cw-pair" :key="index" :class="classes(item, index)" :data-row="index"
          role="article" :tabindex="index === Math.max(0, current) ? 0 : -1"
          :aria-label="name(item)" @focus="current = index">
          <template v-if="item.first && opens(item)">
            <div v-for="side in [0, 1]" :key="'meta' + side" class="cw-cell cw-meta"
              :class="[tint(item, side), edge(item, side)]" :data-side="side">
              <template v-if="begun(item, side).length">
                <span v-for="chunk in begun(item, side)" :key="chunk"><span class="cw-number">{{
                  chunk + 1 }}</span> {{ painting.sides[side].tokens[chunk] }} tokens</span>
                <span v-if="item.cuts === side + 1" class="cw-only">{{
                  side ? "only right ▶" : "◀ only left" }}</span>
              </template>
              <span v-else-if="item.chunks[side] >= 0" aria-hidden="true">{{
                item.chunks[side] + 1 }} goes on</span>
            </div>
            <template v-if="added(item, 0) || added(item, 1)">
              <div v-for="side in [0, 1]" :key="'head' + side" class="cw-cell cw-head" dir="auto"
                :class="tint(item, side)" title="Put before the text when it is embedded">{{
                added(item, side) }}</div>
            </template>
          </template>
          <div v-for="side in [0, 1]" :key="'text' + side" class="cw-cell cw-text" dir="auto"
            :class="tint(item, side)" :aria-hidden="side === 1"><span
            v-for="part in parts(item, side)" :key="part.from" :class="part.kind">{{ part.text
            }}</span></div>
        </div>
      </q-virtual-scroll>
    </div>`,
  data() {
    return {
      rows: Object.freeze([]),
      painting: NOTHING,
      different: Object.freeze([]), // rows at whose start only one side cuts
      current: -1,
    };
  },
  computed: {
    told() {
      const count = this.different.length;
      if (!this.painting.sequence) return "";
      if (!count) return "No differences: both sides cut at the same places.";
      const at = this.different.indexOf(this.current);
      const all = count.toLocaleString("en");
      return at < 0 ? `${all} differences` : `difference ${(at + 1).toLocaleString("en")} of ${all}`;
    },
  },
  created() {
    this.NAMES = NAMES;
    this.awaited = ""; // a side that cannot be cut says so itself
  },
  mounted() {
    this.$emit("shown");
  },
  activated() {
    this.$emit("shown");
  },
  methods: {
    clear() {
      this.painting = NOTHING;
      this.rows = this.different = Object.freeze([]);
      this.current = -1;
    },
    paint(source, painting) {
      this.when(source, () => {
        const at = positionIn(this.$refs.scroll, this.rows, 0.25);
        const chosen = this.current < 0 ? -1 : this.rows[this.current].from;
        this.painting = Object.freeze(painting);
        this.rows = Object.freeze(rowsOf(this.text, painting));
        this.different = Object.freeze(
          [...this.rows.keys()].filter((row) => this.differs(this.rows[row])),
        );
        this.current = chosen < 0 ? -1 : rowAt(this.rows, chosen);
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
    differs(row) {
      return row.first && (row.cuts === LEFT || row.cuts === RIGHT);
    },
    // The chunks of a side that start with a row.
    begun(row, side) {
      if (!row.first) return [];
      const count = row.chunks[side] - row.before[side];
      return Array.from({ length: count }, (_, at) => row.before[side] + 1 + at);
    },
    opens(row) {
      return row.chunks.some((chunk, side) => chunk > row.before[side]);
    },
    added(row, side) {
      const chunk = row.chunks[side];
      if (!this.begun(row, side).length) return "";
      const { head, heads, leads } = this.painting.sides[side];
      const before = head.length && head[chunk] >= 0 ? heads[head[chunk]] : "";
      const lead = leads[chunk];
      return (before + (lead === undefined ? "" : lead)).trimEnd();
    },
    classes(row, index) {
      return {
        "cw-first": row.first,
        "cw-differs": this.differs(row),
        "cw-current": index === this.current,
      };
    },
    tint(row, side) {
      const chunk = row.chunks[side];
      return chunk < 0 ? "cw-none" : chunk % 2 ? "cw-odd" : "cw-even";
    },
    edge(row, side) {
      if (row.cuts === side + 1) return "cw-cut cw-cut-only";
      return this.begun(row, side).length ? "cw-cut" : "cw-uncut";
    },
    name(row) {
      const said = NAMES.map((side, at) => {
        const begun = this.begun(row, at).map((chunk) => chunk + 1);
        if (begun.length) return `${side} starts chunk ${begun.join(" and ")}`;
        return row.chunks[at] < 0 ? `${side} in no chunk` : `${side} in chunk ${row.chunks[at] + 1}`;
      });
      return (this.differs(row) ? "Difference: " : "") + said.join(", ");
    },
    move(event) {
      if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
      const last = this.rows.length - 1;
      const at = Math.max(0, this.current);
      const act = {
        ArrowDown: () => this.choose(Math.min(last, at + 1)),
        ArrowUp: () => this.choose(Math.max(0, at - 1)),
        Home: () => this.choose(0),
        End: () => this.choose(last),
        n: () => this.step(1),
        p: () => this.step(-1),
      }[event.key];
      if (!act || last < 0) return;
      event.preventDefault();
      act();
    },
    // Go to the next difference, or with -1 to the one before, and around at the ends.
    step(by) {
      const { different, current } = this;
      if (!different.length) return;
      const later = different.find((row) => row > current);
      const earlier = different.findLast((row) => row < current);
      const [next, around] = by > 0 ? [later, different[0]] : [earlier, different.at(-1)];
      this.choose(next === undefined ? around : next);
    },
    // A row in focus that is made anew leaves the focus on the list: it goes back to the row.
    refocus(event) {
      const at = this.current;
      if (at >= 0 && isLost(event)) focusRow(this.$el, at, () => this.current === at);
    },
    choose(at) {
      this.current = at;
      this.$refs.scroll.scrollTo(at, "center-force");
      this.$nextTick(() => focusRow(this.$el, at, () => this.current === at));
    },
    // The text of a row in parts that look alike throughout on a side.
    parts(row, side) {
      const { starts, ends } = this.painting.sides[side];
      const chunk = row.chunks[side];
      const reach = chunk > 0 ? ends[chunk - 1] : 0;
      const [start, end] = chunk < 0 ? [row.from, row.from] : [starts[chunk], ends[chunk]];
      const cuts = cutsOf(row, [reach, start, end]);
      return cuts.map((from, at) => ({
        from,
        text: this.text.slice(from, at + 1 < cuts.length ? cuts[at + 1] : row.to),
        kind: from < start || from >= end ? "cw-gap" : from < reach ? "cw-shared" : "cw-own",
      }));
    },
  },
};
