import { useEffect } from 'react';
import { t } from '../../i18n/language.js';

/** Sets the title of the window. Undefined leaves it to another component. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} – ${t('common.productName')}`;
  }, [title]);
}
