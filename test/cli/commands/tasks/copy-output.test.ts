import { describe, expect, it } from 'vitest';
import { ApiError, type Client } from '../../../../src/contract/client.ts';
import { OutputCopy } from '../../../../src/cli/commands/tasks/copy-output.ts';

class ConnectionLost extends Error {
  readonly code = 'ECONNRESET';
}

/** Answers each request with the next attempt's output from the asked offset, in pieces of three bytes. */
function world(...answers: (string | { text: string; breaksAfter: number } | Error)[]) {
  let printed = '';
  let differences = 0;
  async function* getOutput({ query }: { query: { offset: number } }) {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined || answer instanceof Error) throw answer;
    const { text, breaksAfter } =
      typeof answer === 'string' ? { text: answer, breaksAfter: Number.POSITIVE_INFINITY } : answer;
    for (let at = query.offset; at < text.length; at += 3) {
      if (at >= breaksAfter) throw new ConnectionLost();
      yield Buffer.from(text.slice(at, at + 3));
    }
  }
  const copy = new OutputCopy({
    client: { tasks: { getOutput } } as unknown as Client,
    taskId: 'task_1',
    stream: 'stdout',
    write: async (piece) => void (printed += Buffer.from(piece).toString()),
    onDifferent: () => differences++,
  });
  return { copy, seen: () => ({ printed, differences }) };
}

describe('the copy of an output', () => {
  it('continues after a lost connection where it was', async () => {
    const { copy, seen } = world({ text: 'abcdefghi', breaksAfter: 3 }, 'abcdefghi');
    copy.follow();
    await copy.finish();
    expect(seen()).toEqual({ printed: 'abcdefghi', differences: 0 });
  });

  it('does not repeat what an earlier attempt printed the same', async () => {
    const { copy, seen } = world({ text: 'abcdefghi', breaksAfter: 6 }, 'abcdefghijk');
    copy.follow();
    await Promise.resolve();
    copy.startAttempt();
    copy.follow();
    await copy.finish();
    expect(seen()).toEqual({ printed: 'abcdefghijk', differences: 0 });
  });

  it('prints all of an attempt that prints something else, and says so once', async () => {
    const { copy, seen } = world('abcdef', 'abcxyz!');
    copy.follow();
    await new Promise(setImmediate);
    copy.startAttempt();
    copy.follow();
    await copy.finish();
    expect(seen()).toEqual({ printed: 'abcdefabcxyz!', differences: 1 });
  });

  it('prints all of an attempt that prints less than the one before', async () => {
    const { copy, seen } = world('abcdef', 'abc');
    copy.follow();
    await new Promise(setImmediate);
    copy.startAttempt();
    await copy.finish();
    expect(seen()).toEqual({ printed: 'abcdefabc', differences: 1 });
  });

  it('fails with what the daemon refuses', async () => {
    const { copy } = world(new ApiError(404, { error: 'Task not found' }));
    copy.follow();
    await expect(copy.finish()).rejects.toMatchObject({ status: 404 });
  });
});
