import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import {
  collectionsWithFormerSearch,
  replaceFormerSearch,
} from '../../../engine/storage/table/former-search.js';
import { IndexBuildSessions } from '../../../engine/storage/table/index-build-session.js';
import { Collection } from '../collection.entity.js';

/**
 * Replaces the search indexes of version 1.1.0, which were on texts in lower case. No query uses them: until a collection
 * has its new ones, it is searched without an index. Instances of 1.1.0 may still create some beside this one, so the job
 * looks for them again.
 */
@Injectable()
export class FormerSearchIndexes implements OnApplicationBootstrap {
  private readonly logger = new Logger(FormerSearchIndexes.name);

  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly sessions: IndexBuildSessions,
  ) {}

  onApplicationBootstrap(): void {
    this.replaceSoon();
  }

  /** Begins to replace them and returns at once: a start or a job must not wait for builds. */
  replaceSoon(): void {
    this.replaceAll().catch(error => this.logger.warn(`former search indexes: ${error.message}`));
  }

  /** One collection after the other. Those that are being changed, and those in the trash, have their turn later. */
  private async replaceAll(): Promise<void> {
    const ids = await collectionsWithFormerSearch(this.collections.manager);
    if (ids.length === 0) return;
    for (const { id, orgId } of await this.collections.findBy({ id: In(ids), status: 'ready' })) {
      await this.sessions
        .run({ id, orgId }, async connection => {
          const collection = await this.collections.findOneBy({ id, status: 'ready' });
          if (collection !== null) await replaceFormerSearch(connection, collection);
        })
        .catch(error => this.logger.warn(`search indexes of collection ${id}: ${error.message}`));
    }
  }
}
