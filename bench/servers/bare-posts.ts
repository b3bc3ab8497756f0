import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';

/** Posts signed bodies and nothing else: no rows, no rules, one signature. */
const COUNT = Number(process.env['BENCH_COUNT']);
const CONCURRENCY = Number(process.env['BENCH_CONCURRENCY']);
const url = `${process.env['BENCH_RECEIVER']}/`;
const body = `{"at":${Date.now()},"payload":"${'x'.repeat(400)}"}`;
const dispatcher = new Agent();

process.on('message', () => {
  void run().then((ms) => process.send?.({ ms }));
});
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url, headers: {} });

async function run(): Promise<number> {
  const started = performance.now();
  let left = COUNT;
  const post = async () => {
    while (left-- > 0) {
      const answer = await request(url, {
        method: 'POST',
        dispatcher,
        headers: {
          'content-type': 'application/json',
          'x-service-signature': `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`,
        },
        body,
      });
      await answer.body.text();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, post));
  return performance.now() - started;
}
