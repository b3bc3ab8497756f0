import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SvcHome } from '../../svc-binary.ts';

it('shows what models used, by day or by what is asked for, with a total, as CSV and as JSON', async () => {
  await using home = await SvcHome.create();
  expect(await home.svc(['usage'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/No model was used from \S+ to \S+\.\n$/) as string,
  });
  const today = new Date().toISOString().slice(0, 10);
  const database = new DatabaseSync(join(home.folder, 'svc.db'));
  const insert = database.prepare(
    `insert into usage values (?, (select id from users limit 1), '', ?, 'openai', 'gpt-5', '', '', '', ?, 500, 200, 3, ?, ?)`,
  );
  insert.run(today, 'claude', 1200, 0.12, 1);
  insert.run(today, '=evil', 300, 2.5, 0);
  database.close();
  const { code, stdout, stderr } = await home.svc(['usage', '--by', 'agent', '--since', '7d']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      'AGENT   CALLS  INPUT  CACHED  OUTPUT             COST\n' +
      '=evil       3    300     200     500            $2.50\n' +
      'claude      3   1.2k     200     500  $0.12 + unknown\n' +
      'TOTAL       6   1.5k     400      1k  $2.62 + unknown\n',
  });
  expect(stderr).toContain('svc usage prices');
  expect((await home.svc(['usage', '--by', 'agent', '--csv'])).stdout.split('\r\n')[1]).toBe(
    "'=evil,,300,500,200,3,2.500000,0",
  );
  const whole = await home.svc(['usage', '--json', '--agent', 'claude']);
  expect(JSON.parse(whole.stdout)).toMatchObject({
    usage: [{ key: today, costUsd: 0.12 }],
    sum: { calls: 3, unknownCalls: 1 },
  });
  expect(await home.svc(['usage', '--since', '7d', '--from', today])).toMatchObject({ code: 2 });
  expect(await home.svc(['usage', '--by', 'moon'])).toMatchObject({ code: 2 });
  expect(await home.svc(['usage', '--from', 'yesterday'])).toMatchObject({ code: 6 });
});
