import { JsonText } from '../../../ui/json-text.tsx';
import { useLoadedSchema } from '../use-loaded-schema.ts';

export const JsonTab = () => (
  <JsonText label="Schema as JSON" about="As the identity service returned it." value={useLoadedSchema().schema} />
);
