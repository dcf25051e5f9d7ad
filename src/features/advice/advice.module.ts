import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { AdviceController } from './advice.controller.js';
import { IndexAdvice } from './index-advice.service.js';
import { SeenShape } from './seen-shape.entity.js';
import { SeenShapes } from './seen-shapes.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([SeenShape]), CollectionsModule, StorageModule],
  controllers: [AdviceController],
  providers: [IndexAdvice, SeenShapes],
  exports: [SeenShapes],
})
export class AdviceModule {}
