import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SvcHome } from '../../svc-binary.ts';

it('lists prices with their day, and sets, imports and removes single ones', async () => {
  await using home = await SvcHome.create();
  expect((await home.svc(['usage', 'prices'])).stdout).toMatch(
    /^MODEL +INPUT +OUTPUT +CACHED +FROM +DAY +SOURCE\n[^]*openai\/gpt-5 +1\.25 +10 +0\.125 +list +2026-\d\d-\d\d +https:\S+\n/,
  );
  const set = ['usage', 'prices', 'set', 'openai/gpt-5', '--input', '1', '--output', '2'];
  expect(await home.svc(set)).toMatchObject({ code: 0 });
  expect(await home.svc(['usage', 'prices', 'set', 'ollama/qwen3', '--input', '0'])).toMatchObject({
    code: 2,
  });
  const file = join(home.folder, 'prices.json');
  const importing = ['usage', 'prices', 'import', file];
  expect(await home.svc(importing)).toMatchObject({ code: 6 });
  for (const bad of ['nothing', '{"prices": {}}', '{"asOf": "2026-11-01", "prices": {"x": 1}}']) {
    writeFileSync(file, bad);
    expect(await home.svc(importing)).toMatchObject({ code: 6, stdout: '' });
  }
  const prices = { 'groq/new': { input: 3, output: 4 }, 'openai/gpt-5': { input: 1, output: 5 } };
  writeFileSync(file, JSON.stringify({ asOf: '2026-11-01', source: 'https://example.org/prices', prices }));
  expect((await home.svc([...importing, '--dry-run'])).stderr).toContain('2 of 2 prices would change.');
  expect(await home.svc(importing)).toMatchObject({ code: 0, stdout: 'groq/new\nopenai/gpt-5\n' });
  expect((await home.svc(importing)).stderr).toContain('0 of 2 prices changed.');
  expect((await home.svc(['usage', 'prices', '--set'])).stdout).toBe(
    'MODEL         INPUT  OUTPUT  CACHED  FROM               DAY         SOURCE\n' +
      'groq/new          3       4          you                2026-11-01  https://example.org/prices\n' +
      'openai/gpt-5      1       5          you, not the list  2026-11-01  https://example.org/prices\n',
  );
  const json = JSON.parse((await home.svc(['usage', 'prices', '--set', '--json'])).stdout) as {
    prices: { model: string }[];
  };
  expect(json.prices.find(({ model }) => model === 'openai/gpt-5')).toMatchObject({
    input: 1,
    setBy: 'setting',
    listed: { input: 1.25 },
    source: 'https://example.org/prices',
  });
  expect(await home.svc(['usage', 'prices', 'rm', 'openai/gpt-5'])).toMatchObject({ code: 0 });
  expect(await home.svc(['usage', 'prices', 'rm', 'openai/gpt-5'])).toMatchObject({ code: 5 });
  expect((await home.svc(['usage', 'prices'])).stdout).toMatch(/openai\/gpt-5 +1\.25 +10/);
});
