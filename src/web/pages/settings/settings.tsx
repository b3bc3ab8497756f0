import { Outlet, useRouterState } from '@tanstack/react-router';
import { isForLimited, useIsLimited } from '../../components/limited.tsx';
import { Page } from '../../components/page.tsx';
import { useAdmin } from '../../queries/use-admin.ts';
import { SectionLinks } from './section-links.tsx';
import { sections } from './sections.ts';
import styles from './settings.module.css';

/** The frame of all settings: their sections beside the one that is open. */
export function SettingsPage() {
  const isAdmin = useAdmin();
  const isLimited = useIsLimited();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const open = sections.find((section) => section.path === path);
  const isRefused = isAdmin === false && open?.isForAdmins === true;
  return (
    <Page title="Settings">
      <div className={styles['columns']}>
        <SectionLinks
          sections={sections
            .filter(({ isForAdmins }) => isAdmin || !isForAdmins)
            .filter((section) => !isLimited || isForLimited(section.path))}
          name={open?.name}
        />
        <div className={styles['section']}>
          {isRefused ? <p>Only administrators of this daemon see these settings.</p> : <Outlet />}
        </div>
      </div>
    </Page>
  );
}
