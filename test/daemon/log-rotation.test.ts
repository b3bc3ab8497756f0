import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rotateLog } from '../../src/daemon/log-rotation.ts';

/** A log that is written as the daemon writes its own: to an inherited descriptor. */
function openLog() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  const path = join(folder, 'daemon.log');
  const descriptor = openSync(path, 'a', 0o600);
  onTestFinished(() => {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  });
  let lines = 0;
  return {
    path,
    descriptor,
    write: (count: number) => {
      for (let n = 0; n < count; n++) writeSync(descriptor, `line ${++lines}\n`);
    },
    rotate: () => rotateLog({ path, descriptor, maxBytes: 1000 }),
    linesIn: (name: string) => readFileSync(name, 'utf8').split('\n').filter(Boolean),
  };
}

it('moves a log aside that has grown too large, while it is being written', () => {
  const log = openLog();
  log.write(50);
  expect(log.rotate()).toBe(false);
  log.write(100);
  expect(log.rotate()).toBe(true);
  log.write(2);
  expect(log.linesIn(log.path)).toEqual(['line 151', 'line 152']);
  expect(log.linesIn(`${log.path}.1`)).toHaveLength(150);
});

it('loses no line over many rotations, and keeps three older files', () => {
  const log = openLog();
  for (let round = 0; round < 4; round++) {
    log.write(150);
    expect(log.rotate()).toBe(true);
  }
  log.write(1);
  const kept = [3, 2, 1].flatMap((n) => log.linesIn(`${log.path}.${n}`));
  expect([...kept, ...log.linesIn(log.path)]).toEqual(
    Array.from({ length: 451 }, (_, n) => `line ${151 + n}`),
  );
  expect(existsSync(`${log.path}.4`)).toBe(false);
});

it('leaves a file alone that is not the one that is written', () => {
  const log = openLog();
  log.write(150);
  renameSync(log.path, `${log.path}.moved`);
  expect(log.rotate()).toBe(false);
  closeSync(openSync(log.path, 'a'));
  expect(log.rotate()).toBe(false);
  expect(log.linesIn(`${log.path}.moved`)).toHaveLength(150);
});
