// A slider that the browser itself knows. Its thumb stands where the person has put it: what the
// server tells of an earlier place, while more is on its way there, does not move it back.

// Milliseconds after which a place that the server has not taken is left for the one it has.
const PATIENCE = 1000;

export default {
  template: `
    <label class="cw-slider">
      <span>{{ name }}: {{ said }}</span>
      <input ref="input" type="range" :min="min" :max="max" :step="step" :aria-label="name"
        :aria-valuetext="said" @input="move">
    </label>`,
  props: {
    name: String,
    said: String, // the value in words
    shown: Number, // the value, as the server has it
    min: Number,
    max: Number,
    step: Number,
  },
  created() {
    this.sent = null; // the last place that was told, until the server shows it
    this.timer = null;
  },
  mounted() {
    this.settle();
  },
  updated() {
    if (this.sent === this.shown) this.sent = null;
    if (this.sent === null) this.settle();
  },
  unmounted() {
    clearTimeout(this.timer);
  },
  methods: {
    move(event) {
      this.sent = Number(event.target.value);
      clearTimeout(this.timer);
      this.timer = setTimeout(this.settle, PATIENCE);
      this.$emit("moved", this.sent);
    },
    settle() {
      this.sent = null;
      clearTimeout(this.timer);
      this.$refs.input.value = this.shown;
    },
  },
};
