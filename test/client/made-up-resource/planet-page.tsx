import type { ComponentType } from 'react';
import { recordPage } from '../../../client/record/record-page.tsx';
import { PageHeading } from '../../../client/ui/layout.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { planetQuery } from './planet-queries.ts';
import { PLANETS } from './planet-resource.ts';

export const PlanetPage: ComponentType = recordPage(PLANETS, {
  query: planetQuery,
  header: ({ name }) => <PageHeading title={name} />,
  tabs: [['', 'Overview', OverviewTab]],
  json: { about: 'As it is.' },
});
