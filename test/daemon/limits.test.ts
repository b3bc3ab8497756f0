import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { send } from '../helpers/http.ts';
import { until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const submit = (daemon: TestDaemon, token: string) =>
  send(daemon, 'POST', '/api/gateway', { task: { title: 'Work' } }, { authorization: `Bearer ${token}` });
const tokenOf = async (daemon: TestDaemon) =>
  (await daemon.client.tokens.create({ body: { name: 'x', scopes: ['gateway:write'] } })).token;
const many = <T>(count: number, call: () => Promise<T>) => Promise.all(Array.from({ length: count }, call));
const countOf = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('the rate limit of the gateway', () => {
  it('the gateway accepts ten concurrent requests of a token, and more of another token', async () => {
    await using daemon = await startDaemon();
    // Again with another token where the machine needed more than their second for all of them.
    await until(async () => {
      const [first, second] = [await tokenOf(daemon), await tokenOf(daemon)];
      const answers = await many(11, () => submit(daemon, first));
      expect([countOf(answers, 202), countOf(answers, 429)]).toEqual([10, 1]);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.headers.get('retry-after')).toBe('1');
      expect((await submit(daemon, second)).status).toBe(202);
    });
  });

  it('the gateway accepts GATEWAY_RATE_LIMIT_RPM requests a minute, and then says when to retry', async () => {
    const flags = { 'gateway.requestsPerSecond': 1000 };
    await using usual = await startDaemon({ flags });
    await using set = await startDaemon({ flags, env: { GATEWAY_RATE_LIMIT_RPM: '7' } });
    const token = await tokenOf(usual);
    const answers = await many(61, () => submit(usual, token));
    expect([countOf(answers, 202), countOf(answers, 429)]).toEqual([60, 1]);
    const few = await tokenOf(set);
    const fewer = await many(9, () => submit(set, few));
    expect([countOf(fewer, 202), countOf(fewer, 429)]).toEqual([7, 2]);
    const seconds = Number(fewer.find(({ status }) => status === 429)?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
  });
});

describe('the rate limit of other routes', () => {
  it('other routes have no limit unless an administrator sets one, which counts per caller', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const ask = (headers: Record<string, string>) => send(daemon, 'GET', '/api/tasks', undefined, headers);
    expect(countOf(await many(100, () => ask(ann.headers)), 200)).toBe(100);
    await daemon.client.config.update({ params: { key: 'limits.requestsPerMinute' }, body: { value: 5 } });
    const limited = await many(8, () => ask(ann.headers));
    expect([countOf(limited, 200), countOf(limited, 429)]).toEqual([5, 3]);
    expect((await ask(daemon.headers)).status).toBe(200);
    const answers = await many(8, () => send(daemon, 'GET', '/api/health'));
    expect(countOf(answers, 429)).toBe(3);
  });

  it('limits sign-ups to five per minute', async () => {
    await using daemon = await startDaemon();
    const answers = await many(6, () => send(daemon, 'POST', '/api/auth/signup', {}));
    expect([countOf(answers, 400), countOf(answers, 429)]).toEqual([5, 1]);
  });
});
