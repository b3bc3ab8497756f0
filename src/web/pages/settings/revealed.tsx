import { type ReactNode, useEffect, useRef } from 'react';
import styles from './settings.module.css';

/** A card with what is shown once; it has the focus, and stays until it is closed. */
export function Revealed({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className={`card ${styles['revealed']}`}>
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      {children}
      <div className={styles['line']}>
        <button type="button" className="button" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}
