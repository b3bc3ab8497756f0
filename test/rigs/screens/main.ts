import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, root } from '../../cli/svc-binary.ts';
import { Person } from '../../walkthroughs/person.ts';
import { drawScreen } from './draw-screen.ts';
import { scenes } from './scenes.ts';

ensureBuilt();
const wanted = process.argv.slice(2);
for (const { name, label, size, play } of scenes) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await using person = await Person.sitsDown({ size });
  await play(person);
  const picture = drawScreen(person.terminal.coloredScreen.replaceAll(person.home, '~'), {
    columns: size.columns,
    label,
  });
  writeFileSync(join(root, 'docs/images', `${name}.svg`), picture);
  process.stdout.write(`docs/images/${name}.svg\n`);
}
