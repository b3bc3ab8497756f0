import { describe, expect, it } from 'vitest';
import { ClusterRoutes } from '../../../src/core/cluster/cluster-routes.ts';

const daemonWith = (...agents: string[]) => ({
  id: 'daemon_b',
  host: 'b',
  labels: new Set(['host:b']),
  agents: new Set(agents),
  hasLabel: (label: string) => label === 'host:b',
  hasAgent: (type: string) => agents.includes(type),
});

/** The routes of a daemon on host a with the label gpu, beside others with these agents. */
const routesOf = (ownAgents: string[], ...others: string[][]) => {
  const labels = ['gpu', 'host:a'];
  return new ClusterRoutes({
    daemon: { labels, hasLabel: (label) => labels.includes(label) },
    membership: { ownAgents, others: others.map((agents) => daemonWith(...agents)) },
  });
};

describe('the queue of a wake-up', () => {
  const routes = routesOf(['builtin', 'claude'], ['builtin', 'codex']);

  it.each([
    ['that of all, for an agent that all have', 'builtin', [], ''],
    ['that of all, for an agent that only the row names', '', [], ''],
    ['that of an agent that one daemon has', 'codex', [], 'agent:codex'],
    ['that of all, for an agent that no daemon has', 'gemini', [], ''],
    ['that of a label, whatever the agent is', 'codex', ['gpu'], 'gpu'],
    ['that of the host before those of other labels', 'builtin', ['gpu', 'host:b'], 'host:b'],
  ])('is %s', (_, agent, needs, route) => {
    expect(routes.of({ agent, needs })).toBe(route);
  });

  it('is that of a label which this daemon lacks, once it cannot run the task', () => {
    expect(routes.of({ agent: 'builtin', needs: ['gpu', 'big'] }, true)).toBe('big');
  });

  it('is that of the agent for a daemon that runs no tasks', () => {
    expect(routesOf([], ['builtin'], ['builtin', 'codex']).of({ agent: 'codex', needs: [] })).toBe(
      'agent:codex',
    );
    expect(routesOf([], ['builtin'], ['builtin']).of({ agent: 'builtin', needs: [] })).toBe('');
  });

  it('is listened to by the daemons with the label or the agent', () => {
    expect(routes.own()).toEqual(['gpu', 'host:a', 'agent:claude']);
    expect(routesOf(['builtin']).own()).toEqual(['gpu', 'host:a']);
  });
});
