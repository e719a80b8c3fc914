// Rows of a document in a virtual list: what the views of one text and of two have in common.
//
// Positions are UTF-16 code units.

// A row is no longer than this, so that one huge chunk is painted as fast as many.
const LONGEST_ROW = 2000;

// Call with the edges of each row that a stretch of a text takes.
export function forEachRow(text, start, end, call) {
  let from = start;
  do {
    let to = Math.min(end, from + LONGEST_ROW);
    if (to < end) {
      const line = text.lastIndexOf("\n", to) + 1;
      if (line > from) to = line;
      else if ((text.charCodeAt(to) & 0xfc00) === 0xdc00) to -= 1; // the second half of a pair
    }
    call(from, to);
    from = to;
  } while (from < end);
}

// The row of a position: the last that starts at it or before.
export function rowAt(rows, position) {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle].from <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Where a text can be cut at some edges into parts that look alike throughout.
export function cutsOf(row, edges) {
  const inside = edges.filter((edge) => edge > row.from && edge < row.to);
  return [...new Set([row.from, ...inside])].sort((one, other) => one - other);
}

// The text of a document. A byte order mark is a character of it, too.
async function textOf(source) {
  const answer = await fetch((window.path_prefix || "") + source);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(await answer.arrayBuffer());
}

// The first position in sight in a list, at some share of its width; 0 at its start.
export function positionIn(list, rows, share) {
  const box = list && list.$el;
  if (!box || box.scrollTop < 4) return 0;
  const { left, top, width } = box.getBoundingClientRect();
  for (const down of [4, 24, 60]) {
    const under = document.elementFromPoint(left + width * share, top + down);
    const row = under && under.closest("[data-row]");
    if (row && rows[row.dataset.row]) return rows[row.dataset.row].from;
  }
  return 0;
}

// Go on where the reader was, and note on an element when all of it is painted.
export function painted(element, list, at, sequence) {
  if (at >= 0) list.scrollTo(at, "start-force");
  requestAnimationFrame(() =>
    setTimeout(() => {
      element.dataset.painted = sequence;
      element.dataset.paintedAt = performance.now();
    }),
  );
}

// Focus a row that was scrolled to. Rows come into the page a few frames later, and may be made
// anew in the next ones: it is focused until it stays so, or is not wanted any more.
export function focusRow(element, at, isWanted) {
  let frames = 60;
  let kept = 0;
  const focus = () => {
    if (!isWanted()) return;
    const row = element.querySelector(`[data-row="${at}"]`);
    kept = row && row === document.activeElement ? kept + 1 : 0;
    if (row && !kept) row.focus({ preventScroll: true });
    if (kept < 6 && frames-- > 0) requestAnimationFrame(focus);
  };
  // Later: whoever takes the focus away from a row that goes does so in the midst of its going.
  requestAnimationFrame(focus);
}

// Whether the focus came to the list itself, as it does when the row that had it is gone.
export function isLost(event) {
  return event.target.classList.contains("q-virtual-scroll__content");
}

// What a view of a text has: the text itself, loaded from `source`, and what waits for it. Before
// another one is loaded, `clear` takes away what was painted; `awaited` is shown until there is
// something to see.
export const ofOneText = {
  props: {
    source: String, // where the text is
    lang: String,
  },
  data() {
    return { message: "Loading …" };
  },
  created() {
    this.text = ""; // not reactive: it may be large, and never changes by itself
    this.waiting = [];
    this.load();
  },
  watch: {
    source: "load",
  },
  methods: {
    async load() {
      const source = this.source;
      if (!source) return;
      this.ready = false;
      this.message = "Loading …";
      this.clear();
      try {
        const text = await textOf(source);
        if (source !== this.source) return;
        this.text = text;
      } catch (problem) {
        this.message = `The document could not be loaded: ${problem.message}`;
        return;
      }
      this.message = this.awaited;
      this.ready = true;
      const waiting = this.waiting;
      this.waiting = [];
      for (const [source, act] of waiting) if (source === this.source) act();
    },
    // What is told before the text is there is done when it is.
    when(source, act) {
      if (this.ready && source === this.source) act();
      else this.waiting.push([source, act]);
    },
  },
};
