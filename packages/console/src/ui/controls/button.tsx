import type { ComponentPropsWithRef, ReactNode } from 'react';
import styles from './button.module.css';

interface ButtonProps extends ComponentPropsWithRef<'button'> {
  /** `primary` for the one main step of a page, `danger` for a step that destroys something, `plain` without a frame. */
  readonly look?: 'normal' | 'primary' | 'danger' | 'plain';
  readonly icon?: ReactNode;
}

/** A button with its text. For a button with an icon alone see `IconButton`. */
export function Button({ look = 'normal', icon, className, children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`${styles.button} ${styles[look]} ${className ?? ''}`} {...rest}>
      {icon}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  /** What the button does: its name for screen readers, and its tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
}

export function IconButton({ label, icon, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`${styles.button} ${styles.plain} ${styles.icon} ${className ?? ''}`}
      {...rest}
    >
      {icon}
    </button>
  );
}
