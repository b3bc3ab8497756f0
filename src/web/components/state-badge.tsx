import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import styles from './state-badge.module.css';

export type Tone = 'calm' | 'good' | 'bad' | 'needs-you';

const icons: Record<Tone, IconName> = {
  calm: 'circle-dashed',
  good: 'circle-check',
  bad: 'circle-x',
  'needs-you': 'triangle-alert',
};

/** The state of a thing that is no task. Never by color alone: an icon and a word say the same. */
export const StateBadge = ({
  icon,
  tone = 'calm',
  children,
}: {
  /** The usual one of the tone unless set. */
  icon?: IconName | undefined;
  tone?: Tone;
  children: ReactNode;
}) => (
  <span className={styles['badge']} data-tone={tone}>
    <Icon name={icon ?? icons[tone]} size={14} />
    {children}
  </span>
);
