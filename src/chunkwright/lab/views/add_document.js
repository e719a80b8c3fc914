// A document that is pasted or sent as a file. It goes by HTTP: it may be larger than a message.

// A longer text is not shown while it waits: a browser takes minutes to lay out megabytes in a
// field.
const SHOWN = 200_000;

export default {
  template: `
    <form class="cw-add" @submit.prevent="paste">
      <label class="cw-name" :for="name">Paste a text</label>
      <textarea :id="name" ref="text" rows="10" dir="auto" spellcheck="false"
        @paste="take"></textarea>
      <p v-if="large" role="status">{{ large.length.toLocaleString("en") }} characters were pasted,
        too many to be shown here. <q-btn flat dense no-caps label="Take them back"
        @click="large = ''"></q-btn></p>
      <div class="cw-add-row">
        <q-btn type="submit" no-caps unelevated color="primary" label="Show this text"
          :disable="busy"></q-btn>
        <label class="cw-file">or send a file
          <input type="file" :accept="accept" :disabled="busy" @change="send"></label>
        <q-spinner v-if="busy" aria-label="sending"></q-spinner>
      </div>
      <p class="cw-problem" role="alert">{{ problem }}</p>
    </form>`,
  props: {
    accept: String, // suffixes of files, with commas
    limit: Number, // bytes
  },
  data() {
    return { busy: false, problem: "", large: "", name: `cw-paste-${Math.random().toString(36).slice(2)}` };
  },
  methods: {
    take(event) {
      const text = event.clipboardData.getData("text/plain");
      if (text.length <= SHOWN) return;
      event.preventDefault();
      this.large = text;
    },
    paste() {
      const text = this.large || this.$refs.text.value;
      if (!text.trim()) {
        this.problem = "There is no text yet: paste or write some.";
        return;
      }
      const body = JSON.stringify({ text });
      this.post("The text", new Blob([body]).size, {
        body,
        headers: { "Content-Type": "application/json" },
      });
    },
    send(event) {
      const file = event.target.files[0];
      if (!file) return;
      const body = new FormData();
      body.append("file", file);
      this.post(file.name, file.size, { body });
      event.target.value = ""; // so that the same file can be chosen again
    },
    async post(what, size, request) {
      if (size > this.limit) {
        const [is, most] = [size, this.limit].map((bytes) => (bytes / 1e6).toFixed(1));
        this.problem = `${what} has ${is} MB, but the limit is ${most} MB: split it, or give its
          folder when starting the lab.`;
        return;
      }
      this.busy = true;
      this.problem = "";
      try {
        const address = (window.path_prefix || "") + "/api/v1/documents";
        const answer = await fetch(address, { method: "POST", ...request });
        const told = await answer.json();
        if (!answer.ok) throw new Error(told.detail || `${answer.status} ${answer.statusText}`);
        this.$refs.text.value = "";
        this.large = "";
        this.$emit("added", { id: told.id });
      } catch (problem) {
        this.problem = problem.message;
      } finally {
        this.busy = false;
      }
    },
  },
};
