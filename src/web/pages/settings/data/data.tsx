import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../../queries/data.ts';
import { SettingItems } from '../configuration/setting-items.tsx';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { ArchiveAudit } from './archive-audit.tsx';
import { Backups } from './backups.tsx';
import { Orphans } from './orphans.tsx';
import { PruneData } from './prune-data.tsx';
import { Usage } from './usage.tsx';
import styles from '../settings.module.css';

/** What the daemon keeps, how long, and how to take it along. */
export function DataSection() {
  const usage = useQuery(usageQuery);
  return (
    <>
      <SettingsGroup title="Backups" hint="Everything the daemon keeps, in one file.">
        <Backups />
      </SettingsGroup>
      <SettingsGroup title="Export">
        <div className={styles['line']}>
          <a className="button" href="/api/tasks/export" download="svc-tasks.json">
            Export tasks
          </a>
          <span className="muted">All tasks as JSON, without their output.</span>
        </div>
      </SettingsGroup>
      <SettingsGroup title="Disk space">
        <Read query={usage} rows={8}>
          {(known) => <Usage usage={known} />}
        </Read>
      </SettingsGroup>
      <SettingsGroup
        title="Retention"
        hint="For how many days things are kept; 0 keeps them forever. Older ones are removed every day."
      >
        <PruneData />
        <Read query={usage} rows={8}>
          {({ retention }) => (
            <SettingItems label="Retention" keys={[...new Set(retention.map(({ setting }) => setting))]} />
          )}
        </Read>
      </SettingsGroup>
      <SettingsGroup
        title="Archives of the audit log"
        hint="Old entries move to a file on the machine of the daemon, where they can still be verified."
      >
        <Read query={usage} rows={2}>
          {({ archives }) => <ArchiveAudit archives={archives} />}
        </Read>
      </SettingsGroup>
      <SettingsGroup title="Leftover worktrees">
        <Orphans />
      </SettingsGroup>
    </>
  );
}
