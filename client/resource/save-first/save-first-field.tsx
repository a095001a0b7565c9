import { Checkbox } from '@mantine/core';

/** Offers, before a deletion, to save what is deleted. Not chosen unless the operator chooses it. */
export const SaveFirstField = (props: { about: string; chosen: boolean; onChange: (chosen: boolean) => void }) => (
  <Checkbox
    label="Save as JSON first"
    description={props.about}
    checked={props.chosen}
    onChange={(event) => props.onChange(event.currentTarget.checked)}
  />
);
