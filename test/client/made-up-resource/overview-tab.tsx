import { useRecord } from '../../../client/resource/detail/use-record.tsx';
import { planetQuery } from './planet-queries.ts';

export const OverviewTab = () => <p>It has {useRecord(planetQuery).moons} moons.</p>;
