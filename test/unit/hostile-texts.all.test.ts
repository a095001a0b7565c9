import { readsInLinearTime } from '../support/linear-time.ts';

describe('text from outside is read in linear time, whatever it is made of', () => readsInLinearTime('all'));
