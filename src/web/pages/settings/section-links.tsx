import { Link } from '@tanstack/react-router';
import { useMedia } from '../../components/use-media.ts';
import type { SettingsSection } from './sections.ts';
import styles from './settings.module.css';

interface LinksProps {
  sections: readonly SettingsSection[];
  /** The section that is open. */
  name: string | undefined;
}

/** The sections under their headings; on a phone behind the name of the one that is open. */
export function SectionLinks({ sections, name = 'Sections' }: LinksProps) {
  const isPhone = useMedia('(width < 48rem)');
  const groups = [
    ['You', sections.filter(({ isForAdmins }) => !isForAdmins)],
    ['Daemon', sections.filter(({ isForAdmins }) => isForAdmins)],
  ] as const;
  const links = groups.map(
    ([title, shown]) =>
      shown.length > 0 && (
        <div key={title} className={styles['links']}>
          <span className={styles['heading']}>{title}</span>
          {shown.map((section) => (
            <Link key={section.path} to={section.path} className="chip">
              {section.name}
            </Link>
          ))}
        </div>
      ),
  );
  return (
    <nav className={styles['sections']} aria-label="Settings">
      {isPhone ? (
        // Another section begins closed.
        <details key={name} className={styles['menu']}>
          <summary className="button">{name}</summary>
          <div className={`card ${styles['choices']}`}>{links}</div>
        </details>
      ) : (
        links
      )}
    </nav>
  );
}
