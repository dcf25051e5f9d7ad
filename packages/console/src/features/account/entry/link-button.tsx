import type { ComponentPropsWithRef } from 'react';
import button from '../../../ui/controls/button.module.css';
import styles from './entry.module.css';

/** A link to a page of the service, drawn as a wide button. */
export function LinkButton({
  look = 'normal',
  ...rest
}: ComponentPropsWithRef<'a'> & { readonly look?: 'normal' | 'primary' }) {
  return <a className={`${button.button} ${button[look]} ${styles.wide}`} {...rest} />;
}
