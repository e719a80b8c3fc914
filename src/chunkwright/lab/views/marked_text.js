// A text with marked parts. Text goes into text nodes only, never into markup.
export default {
  template: `
    <div class="cw-marked-text" dir="auto" tabindex="0" role="group" :aria-label="label"><template
      v-for="(piece, at) in pieces" :key="at"><mark v-if="piece.length > 1"
      :class="piece.slice(1).map((kind) => 'cw-mark-' + kind)">{{ piece[0] }}</mark><template
      v-else>{{ piece[0] }}</template></template></div>`,
  props: {
    pieces: Array, // each a text, then the kinds of its marks
    label: String,
    sight: String,
  },
  mounted() {
    this.bring();
  },
  updated() {
    this.bring();
  },
  methods: {
    // The box is scrolled, not the page.
    bring() {
      const first = this.sight && this.$el.querySelector(`.cw-mark-${this.sight}`);
      if (!first) return;
      const { top } = first.getBoundingClientRect();
      this.$el.scrollTop += top - this.$el.getBoundingClientRect().top - 24;
    },
  },
};
