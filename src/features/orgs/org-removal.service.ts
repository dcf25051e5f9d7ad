import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { OrgSchemaRemoval } from '../../engine/storage/org-schema-removal.js';
import { JobWalks } from '../../platform/database/job-walks.js';
import { Transactions } from '../../platform/database/transactions.js';

/**
 * Drops the schemas of deleted organizations. The rows of such an organization are gone, so no request finds its tables,
 * and what is left after an error is dropped by the next run of the job.
 */
@Injectable()
export class OrgRemoval {
  private readonly logger = new Logger(OrgRemoval.name);
  private readonly schemas: OrgSchemaRemoval;

  constructor(
    @InjectDataSource() source: DataSource,
    transactions: Transactions,
    private readonly walks: JobWalks,
  ) {
    this.schemas = new OrgSchemaRemoval(source, transactions);
  }

  /** Handles all deleted organizations that still have a schema. Stops early after `signal`. */
  async removeDeleted(signal: AbortSignal): Promise<{ removed: number; left: number }> {
    const counts = { removed: 0, left: 0 };
    await this.walks.each(
      'remove-deleted-organizations',
      await this.schemas.deleted(),
      signal,
      async ({ id }) => {
        if (await this.schemas.remove(id, signal)) {
          counts.removed += 1;
          return;
        }
        counts.left += 1;
        if (!signal.aborted)
          this.logger.warn(`Tables of the deleted organization ${id} are in use and were kept.`);
      },
    );
    return counts;
  }

  /** Begins the removal of an organization that was just deleted. Never rejects: the job removes what is left. */
  async begin(orgId: string, signal: AbortSignal): Promise<void> {
    await this.schemas.remove(orgId, signal).catch(error => {
      this.logger.error(
        new Error(`The schema of the deleted organization ${orgId} was not dropped`, { cause: error }),
      );
    });
  }
}
