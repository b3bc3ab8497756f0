// Loaded before everything else of a daemon: its machine has the wrong time.
const byMs = Number(process.env.SVC_RIG_CLOCK_MS);
const TrueDate = Date;

globalThis.Date = class Date extends TrueDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [TrueDate.now() + byMs] : parts));
  }

  static now() {
    return TrueDate.now() + byMs;
  }
};
