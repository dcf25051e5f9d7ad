import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { HttpModule } from '../http/http.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { ChangeFeeds } from './change-feeds.service.js';
import { ChangePositions } from './change-positions.js';
import { ChangeReader } from './change-reader.service.js';
import { ChangeStreams } from './change-streams.service.js';
import { ChangeWatch } from './change-watch.service.js';
import { ChangesController } from './changes.controller.js';
import { Changes } from './changes.service.js';

@Module({
  imports: [CollectionsModule, HttpModule, StorageModule],
  controllers: [ChangesController],
  providers: [Changes, ChangeFeeds, ChangePositions, ChangeReader, ChangeStreams, ChangeWatch],
})
export class ChangesModule {}
