import { describe, expect, it } from 'vitest';
import { Resolver } from '../../../src/core/outbound/resolver.ts';

/** A resolver whose lookups end when the test says. */
function heldResolver(timeoutMs?: number) {
  const begun: { host: string; answer: (address: string) => void; fail: (error: Error) => void }[] = [];
  const resolver = new Resolver(
    (host) =>
      new Promise((resolve, reject) =>
        begun.push({ host, answer: (address) => resolve([{ address, family: 4 }]), fail: reject }),
      ),
    timeoutMs,
  );
  return { resolver, begun, hosts: () => begun.map(({ host }) => host) };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('Resolver', () => {
  it('resolves three names at the same time, and the others after them in order', async () => {
    const { resolver, begun, hosts } = heldResolver();
    const answers = ['a', 'b', 'c', 'd', 'e'].map((host) => resolver.resolve(host));
    expect(hosts()).toEqual(['a', 'b', 'c']);
    begun[1]?.fail(new Error('no such name'));
    await expect(answers[1]).rejects.toThrow('no such name');
    await settle();
    expect(hosts()).toEqual(['a', 'b', 'c', 'd']);
    begun[0]?.answer('1.1.1.1');
    await settle();
    expect(hosts()).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const { answer } of begun) answer('2.2.2.2');
    expect((await Promise.all([answers[0], answers[4]])).flat()).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2.2.2.2', family: 4 },
    ]);
  });

  it('shares a running lookup among callers, and resolves again for later ones', async () => {
    const { resolver, begun } = heldResolver();
    const answers = [resolver.resolve('a'), resolver.resolve('a'), resolver.resolve('a')];
    expect(begun).toHaveLength(1);
    begun[0]?.answer('1.1.1.1');
    expect(new Set((await Promise.all(answers)).flat().map(({ address }) => address))).toEqual(
      new Set(['1.1.1.1']),
    );
    await settle();
    const later = resolver.resolve('a');
    expect(begun).toHaveLength(2);
    begun[1]?.answer('9.9.9.9');
    expect(await later).toMatchObject([{ address: '9.9.9.9' }]);
  });

  it('a lookup times out, and keeps its slot while it hangs', async () => {
    const { resolver, begun, hosts } = heldResolver(20);
    const late = { code: 'unavailable', fault: 'timeout' };
    const hanging = ['a', 'b', 'c'].map((host) => expect(resolver.resolve(host)).rejects.toMatchObject(late));
    await Promise.all([...hanging, expect(resolver.resolve('d')).rejects.toMatchObject(late)]);
    // Whoever asks for a name that hangs waits for the lookup under way.
    await expect(resolver.resolve('a')).rejects.toMatchObject(late);
    expect(hosts()).toEqual(['a', 'b', 'c']);
    begun[0]?.answer('1.1.1.1');
    await settle();
    // Nobody waits for d any more.
    expect(hosts()).toEqual(['a', 'b', 'c']);
    const next = resolver.resolve('e');
    expect(hosts()).toEqual(['a', 'b', 'c', 'e']);
    begun[3]?.answer('5.5.5.5');
    expect(await next).toMatchObject([{ address: '5.5.5.5' }]);
  });

  it('limits waiting lookups to 1,024', async () => {
    const { resolver, begun } = heldResolver();
    const answers = Array.from({ length: 1027 }, (_, index) => resolver.resolve(`host-${index}`));
    await expect(resolver.resolve('one-too-many')).rejects.toMatchObject({ code: 'unavailable' });
    // A name that waits already costs nothing more.
    answers.push(resolver.resolve('host-1026'));
    for (let next = 0; next < 1027; next++) {
      begun[next]?.answer('1.1.1.1');
      await settle();
    }
    expect(await Promise.all(answers)).toHaveLength(1028);
    expect(begun).toHaveLength(1027);
  });

  it('resolves with the system by default', async () => {
    expect(await new Resolver().resolve('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });
});
