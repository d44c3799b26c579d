"""Money is converted as the user says, or refused."""

import pytest

from weft.base.errors import RequestError
from weft.network.cost.money import Terms, read_rates, settle
from weft.network.cost.prices import UnitPrice


def price(currency: str = "USD", year: int = 2003) -> UnitPrice:
    return UnitPrice("node", 100.0, currency, year, "test")


def test_one_currency_and_year_are_counted_in_themselves() -> None:
    money = settle([price(), price()], Terms())
    assert (money.currency, money.year, money.of(7.0, price())) == ("USD", 2003, 7.0)


def test_rates_and_inflation_convert() -> None:
    prices = [price(), price("EUR", 2001)]
    terms = Terms("USD", 2003, {"EUR": 1.1}, 10.0)
    assert settle(prices, terms).of(100.0, prices[1]) == pytest.approx(100 * 1.1 * 1.1**2)
    back = settle([price(year=2003)], Terms(year=2001, inflation_pct=10.0))
    assert back.of(121.0, price(year=2003)) == pytest.approx(100)


def test_what_is_said_names_whose_inflation_and_the_year_of_a_rate() -> None:
    prices = [price(), price("EUR", 2001)]
    said = settle(prices, Terms("USD", 2003, {"EUR": 1.1}, 10.0)).said(prices)
    rate = "1 EUR is 1.1 USD in the year of its price"
    assert said == [rate, "10 % a year of USD from 2001 to 2003"]
    here = [price("EUR")]
    assert settle(here, Terms("USD", rates={"EUR": 1.1})).said(here) == ["1 EUR is 1.1 USD"]


@pytest.mark.parametrize(
    ("prices", "terms", "said", "hint"),
    [
        ([price(), price("EUR")], Terms(), "EUR and USD cannot be added", "--currency EUR"),
        ([price(), price("EUR")], Terms("USD"), "no rate to USD", "--rate EUR=X"),
        ([price()], Terms("CHF"), "prices in USD, and no rate to CHF", "--rate USD=X"),
        ([price(), price(year=2001)], Terms(), "2001 and 2003 cannot be added", "--inflation"),
        ([price()], Terms(year=2026), "what they are in 2026", "--inflation"),
        ([price()], Terms(rates={"EUR": 1.1}), "none is given", "--currency"),
        ([price()], Terms(inflation_pct=2.0), "none is given", "--year"),
        ([price()], Terms("USD", rates={"USD": 2.0}), "the currency to count in", ""),
        ([price()], Terms("USD", rates={"EUR": -1.0}), "must be more than 0", ""),
        ([price()], Terms(year=2026, inflation_pct=-100.0), "must be from -50", ""),
    ],
)
def test_nothing_is_mixed(prices: list[UnitPrice], terms: Terms, said: str, hint: str) -> None:
    with pytest.raises(RequestError) as refused:
        settle(prices, terms)
    assert said in refused.value.message and hint in refused.value.hint


def test_rates_are_read() -> None:
    assert read_rates(["EUR=1.1", "CHF = 0.6"]) == {"EUR": 1.1, "CHF": 0.6}
    for wrong in ("EUR", "EUR=", "=1.1", "EUR=much"):
        with pytest.raises(RequestError, match="not CURRENCY=NUMBER"):
            read_rates([wrong])
