import { client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { ExportDialog } from '../../../ui/export/export-dialog.js';
import { DialogButton } from '../fields/dialog-button.js';
import { useOrganization } from '../use-organization.js';
import { auditFile, MOST_EVENTS } from './audit-file.js';
import type { AuditSearch } from './search.js';

/** A file of the events that match the filters of the page. */
export function ExportAudit({ search }: { readonly search: AuditSearch }) {
  const { orgSlug } = useOrganization();
  const isFiltered = Object.keys(search).length > 0;
  return (
    <DialogButton label={t('export.start')}>
      {close => (
        <ExportDialog
          open
          onOpenChange={open => !open && close()}
          title={t('organization.auditExport')}
          text={t(isFiltered ? 'organization.auditExportFiltered' : 'organization.auditExportAll')}
          fileName={`${orgSlug}-audit`}
          formats={['csv', 'ndjson', 'json']}
          unit="events"
          most={MOST_EVENTS}
          source={(format, signal) => auditFile(client.transport, { orgSlug, search, format, signal })}
        />
      )}
    </DialogButton>
  );
}
