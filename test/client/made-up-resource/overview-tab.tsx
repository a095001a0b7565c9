import { useRecord } from '../../../client/record/tabs.tsx';
import { planetQuery } from './planet-queries.ts';

export const OverviewTab = () => <p>It has {useRecord(planetQuery).moons} moons.</p>;
