import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { ChartsController } from './charts.controller.js';
import { Charts } from './charts.service.js';

@Module({ imports: [CollectionsModule], controllers: [ChartsController], providers: [Charts] })
export class ChartsModule {}
