import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { FIRST_HASH, hashOfEntry } from '../../../src/core/audit/audit-log.ts';
import { verifyFiles } from '../../../src/core/audit/verify-files.ts';
import type { AuditRow } from '../../../src/core/storage/rows/audit.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';
import { newSigner, signText } from '../../helpers/signers.ts';
import { openSigning, type SigningWorld } from '../approvals/signing-world.ts';

type Arguments = Record<string, unknown>;
interface Proof {
  algorithm: string;
  publicKey: string;
  text: string;
  value: string;
  shown: string;
}

/** Two signed decisions and one unsigned, with the key before them. */
async function decideThree(world: SigningWorld): Promise<AuditRow[]> {
  const ann = await world.sign('ann', 'sess_ann', newSigner('p256'));
  await world.decide(ann, (await world.ask()).id);
  await world.decide(ann, (await world.ask()).id, 'deny', {}, { denialReason: 'no' });
  world.setting.required = 'never';
  await world.approvals.decide(ann.caller, (await world.ask()).id, 'allow-once');
  return world.entries();
}

/** The log as somebody rewrites it who can also repair the chain. */
function rewrite(rows: readonly AuditRow[], change: (row: AuditRow, args: Arguments) => unknown): AuditRow[] {
  let previous = FIRST_HASH;
  return rows.map((row) => {
    const args = JSON.parse(row.arguments) as Arguments;
    const copy = { ...row };
    change(copy, args);
    const { hash: _, ...next } = { ...copy, arguments: JSON.stringify(args), previous_hash: previous };
    previous = hashOfEntry(next);
    return { ...next, hash: previous };
  });
}

function verify(...logs: AuditRow[][]) {
  const folder = memoryFolder();
  const paths = logs.map((rows, at) => {
    const path = join(folder, `${at}.jsonl.gz`);
    writeFileSync(path, gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
    return path;
  });
  return verifyFiles(paths);
}

it('verifies every signature again from the log alone, also in parts', async () => {
  await using world = await openSigning();
  const rows = await decideThree(world);
  const whole = { valid: true, entries: 4, decisions: 3, signedDecisions: 2 };
  expect(await world.audits.verify()).toMatchObject(whole);
  expect(await verify(rows)).toMatchObject(whole);
  expect(await verify(rows.slice(0, 2), rows.slice(2))).toMatchObject(whole);
  // Without the entry of the key, the keys in the log are taken as they are.
  expect(await verify(rows.slice(1))).toMatchObject({ valid: true, entries: 3, signedDecisions: 2 });
});

it('finds each changed byte of an entry', async () => {
  await using world = await openSigning();
  const rows = await decideThree(world);
  const [, decision] = rows;
  const text = decision?.arguments ?? '';
  for (let at = 0; at < text.length; at += 37) {
    const changed = text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1);
    const log = rows.map((row) => (row === decision ? { ...row, arguments: changed } : row));
    expect(await verify(log)).toMatchObject({ valid: false, brokenAt: 2 });
  }
});

const proofOf = (args: Arguments) => args['signature'] as Proof;

it.each<[string, (row: AuditRow, args: Arguments) => unknown, string]>([
  [
    'a denial into a yes',
    (row) => Object.assign(row, { decision: 'allow-once', result: 'approved' }),
    'another decision',
  ],
  ['the person', (row) => Object.assign(row, { user_id: 'user_bob' }), 'another decision'],
  ['the approval', (_, args) => Object.assign(args, { approvalId: 'appr_other' }), 'another decision'],
  [
    'the text',
    (_, args) => (proofOf(args).text = proofOf(args).text.replace('"asked"', '"changed"')),
    'wrong signature',
  ],
  ['the key', (_, args) => (proofOf(args).publicKey = newSigner('p256').publicKey), 'wrong signature'],
  ['the algorithm', (_, args) => (proofOf(args).algorithm = 'ed25519'), 'wrong signature'],
  [
    'what was shown',
    (_, args) => (proofOf(args).shown = proofOf(args).shown.replace('rm 2', 'ls 2')),
    'what was shown',
  ],
  ['the tool', (row) => Object.assign(row, { tool: 'read_file' }), 'what was shown'],
  ['the signature away', (_, args) => delete args['signature'], 'lost its signature'],
])('finds a rewritten log that turned %s', async (_, change, reason) => {
  await using world = await openSigning();
  const rows = await decideThree(world);
  const isDenial = ({ seq }: AuditRow) => seq === 3;
  const log = rewrite(rows, (row, args) => (isDenial(row) ? change(row, args) : undefined));
  expect(await verify(log)).toMatchObject({
    valid: false,
    brokenAt: 3,
    reason: expect.stringContaining(reason) as string,
  });
});

it('finds a decision that was signed with a key of which the log knows nothing', async () => {
  await using world = await openSigning();
  const rows = await decideThree(world);
  const forger = newSigner();
  const forged = rewrite(rows, ({ seq }, args) => {
    if (seq !== 2) return;
    const { text, shown } = proofOf(args);
    args['signature'] = {
      algorithm: forger.algorithm,
      publicKey: forger.publicKey,
      text,
      shown,
      value: signText(forger, text),
    };
  });
  expect(await verify(forged)).toMatchObject({
    valid: false,
    brokenAt: 2,
    reason: 'Entry 2 was signed with a key that was not registered',
  });
});

it('takes what a tool was called with for no decision', async () => {
  await using world = await openSigning();
  const rows = await decideThree(world);
  const [, decision] = rows;
  // An agent may choose such arguments.
  const call = { ...decision, seq: 5, id: 'audit_x', result: 'intent', tool: 'evil' } as AuditRow;
  const log = rewrite(
    [...rows, call],
    (row, args) => row.seq === 5 && Object.assign(args, { approvalId: 'x' }),
  );
  expect(await verify(log)).toMatchObject({ valid: true, entries: 5, decisions: 3, signedDecisions: 2 });
});

it('keeps a long content as its hash', async () => {
  await using world = await openSigning();
  const ann = await world.sign('ann');
  const { id } = await world.ask({ arguments: JSON.stringify({ content: 'x'.repeat(70_000) }) });
  await world.decide(ann, id);
  const { signature } = JSON.parse((await world.entries()).at(-1)?.arguments ?? '') as { signature: Proof };
  expect(signature).not.toHaveProperty('shown');
  expect(signature.text).toMatch(/"shown":"[\da-f]{64}"/);
  expect(hash('sha256', signature.text)).toHaveLength(64);
  expect(await world.audits.verify()).toMatchObject({ valid: true, signedDecisions: 1 });
});

it('says which file is no archive', async () => {
  const path = join(memoryFolder(), 'no.gz');
  writeFileSync(path, 'text');
  await expect(verifyFiles([path])).rejects.toMatchObject({
    code: 'validation',
    message: expect.stringContaining(`${path} cannot be read as an archive`) as string,
  });
});
