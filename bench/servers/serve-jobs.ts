/** A job queue beside which svc is measured, in one process with its worker of ten jobs at a time. */
export interface JobQueue {
  /** Stores this many jobs that do nothing. */
  create(count: number): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Answers each message with how many milliseconds 20,000 jobs take from their creation to their recorded end. */
export async function serveJobs(open: (ended: () => void) => Promise<JobQueue>): Promise<void> {
  const tasks = Number(process.env['BENCH_TASKS']);
  let done = 0;
  let finish: () => void = () => undefined;
  const queue = await open(() => {
    if (++done % tasks === 0) finish();
  });
  async function run() {
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const started = performance.now();
    for (let created = 0; created < tasks; created += 500) await queue.create(500);
    await finished;
    return { ms: performance.now() - started };
  }
  process.on('message', () => {
    void run().then((result) => process.send?.(result));
  });
  process.on('SIGTERM', () => {
    void queue.close().then(() => process.exit(0));
  });
  process.send?.({ url: '', headers: {} });
}
