import { useQuery } from '@tanstack/react-query';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { HealthLevel } from '../../../../contract/health.ts';
import { Facts } from '../../../components/facts.tsx';
import { StateBadge, type Tone } from '../../../components/state-badge.tsx';
import { formatDuration } from '../../../components/time.tsx';
import { healthQuery } from '../../../queries/data.ts';
import { Read } from '../read.tsx';

const tones: Record<HealthLevel, Tone> = { healthy: 'good', degraded: 'needs-you', unhealthy: 'bad' };

/** The version and the address of the daemon, and how it is. */
export function DaemonFacts() {
  const health = useQuery(healthQuery);
  return (
    <Read query={health} rows={4}>
      {({ status, version, uptime, system, components }) => (
        <Facts
          facts={[
            ['Version', version],
            ['Address', location.origin],
            [
              'State',
              <StateBadge key="state" tone={tones[status] ?? 'calm'}>
                {status}
              </StateBadge>,
            ],
            ...Object.values(components).flatMap((component) =>
              component && component.status !== 'healthy'
                ? [['', escapeLine(component.message)] as const]
                : [],
            ),
            ['Running for', formatDuration(uptime * 1000)],
            ['Node.js', `${system.nodeVersion} on ${system.platform}`],
          ]}
        />
      )}
    </Read>
  );
}
