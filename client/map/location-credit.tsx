import classes from './location-credit.module.css';

/** Attribution required by the data's licence (CC BY 4.0). */
export const LocationCredit = () => (
  <a className={classes.credit} href="https://db-ip.com" rel="noreferrer" target="_blank">
    IP Geolocation by DB-IP
  </a>
);
