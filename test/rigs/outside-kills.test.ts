import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { isLong, sized } from '../helpers/long.ts';
import { checkEvidence } from './outside-kills/check.ts';
import { plantedFaults } from './outside-kills/planted-faults.ts';
import { figuresOf } from './outside-kills/report.ts';
import { type OutsideReport, runOutsideKills } from './outside-kills/rig.ts';

const kills = sized(2, 30);
const LIMIT_MS = 600_000;

describe.runIf(process.platform === 'linux')('the shipped daemon, killed from outside under load', () => {
  let report: OutsideReport;

  beforeAll(async () => {
    ensureBuilt();
    report = await runOutsideKills({ kills, seed: 20_263, clients: sized(1, 3) });
  }, LIMIT_MS);

  it(`keeps what it promised to its clients over ${kills} kills`, () => {
    expect(report.leftovers).toEqual([]);
    expect([...checkEvidence(report.evidence)]).toEqual([]);
  });

  it('had work of every kind under way when it was killed', () => {
    const figures = figuresOf(report);
    expect(figures).toMatchObject({ kills });
    const { byApi, byCommandLine, byGateway, unanswered, takenUp, reconnected, tokens } = figures;
    for (const seen of [byApi, byCommandLine, byGateway, tokens]) expect(seen).toBeGreaterThan(0);
    // A few kills may miss what takes a moment only.
    if (isLong) for (const seen of [unanswered, takenUp, reconnected]) expect(seen).toBeGreaterThan(0);
    expect(figures.acknowledged).toBeGreaterThan(kills);
    expect(figures.eventsRead).toBeGreaterThan(kills * 3);
  });

  it.each(plantedFaults)('the rig detects $what', ({ plant, complaint }) => {
    const evidence = structuredClone(report.evidence);
    plant(evidence);
    expect([...checkEvidence(evidence)]).toEqual(expect.arrayContaining([expect.stringMatching(complaint)]));
  });

  it.runIf(isLong)('the rig detects a database that was set back', { timeout: LIMIT_MS }, async () => {
    const { evidence } = await runOutsideKills({ kills: 2, seed: 20_264, clients: 2, isSetBack: true });
    const complaints = [...checkEvidence(evidence)];
    expect(complaints).toEqual(
      expect.arrayContaining([expect.stringMatching(/acknowledged task \S+ is gone/)]),
    );
  });
});
