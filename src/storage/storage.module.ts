import { Module } from '@nestjs/common';
import { RecordSlots } from './record-slots.js';
import { RecordStore } from './record-store.js';

@Module({ providers: [RecordSlots, RecordStore], exports: [RecordSlots, RecordStore] })
export class StorageModule {}
